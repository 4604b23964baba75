import { Text } from '@mantine/core';
import * as text from '#strings/findings.ts';
import { number } from '#strings/language.ts';
import { useOrg } from '../app/session.ts';
import { LinkAnchor } from '../components/links.tsx';
import { IconRotateClockwise } from '../icons/icons.ts';
import classes from './Severity.module.css';
import { REGRESSED } from './views.ts';

/** The number of findings of a project that have regressed, as a link to them. */
export function RegressedCount({ count, projectId }: { count: number; projectId: string }) {
  const { slug } = useOrg();
  if (count === 0) {
    return (
      <Text size="sm" c="dimmed">
        {text.none}
      </Text>
    );
  }
  return (
    <LinkAnchor
      to="/o/$org/findings"
      params={{ org: slug }}
      search={{ ...REGRESSED, project_id: projectId }}
      aria-label={text.countRegressed(count)}
      c="inherit"
    >
      <span className={classes.status} data-regressed>
        <IconRotateClockwise size={15} stroke={1.8} aria-hidden />
        <strong>{number(count)}</strong>
      </span>
    </LinkAnchor>
  );
}
