import { Group, Text, VisuallyHidden } from '@mantine/core';
import * as text from '#strings/findings.ts';
import { number } from '#strings/language.ts';
import { SEVERITIES, type Severity } from '../app/search.ts';
import { Tip } from '../components/floating/Tip.tsx';
import { OrgAnchor } from '../components/links.tsx';
import { IconRotateClockwise } from '../icons/icons.ts';
import classes from './Severity.module.css';
import { SEVERITY_NAMES, severityColor } from './Severity.tsx';
import { ATTENTION, REGRESSED } from './views.ts';

interface Props {
  /** The number of findings of the project that need attention. */
  counts: Record<Severity, number>;
  projectId: string;
}

/** Findings of a project that need attention, by severity. Each number links to its findings. */
export function SeverityCounts({ counts, projectId }: Props) {
  const some = SEVERITIES.filter((severity) => counts[severity] > 0);
  if (some.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {text.none}
      </Text>
    );
  }
  return (
    <Group gap={6}>
      {some.map((severity) => {
        return (
          <Tip key={severity} label={text.needAttention(counts[severity], severity)}>
            <OrgAnchor
              to="/o/$org/findings"
              search={{ ...ATTENTION, project_id: projectId, severity: [severity] }}
              size="sm"
              fw={600}
              c={severityColor(severity)}
              px={6}
              style={{
                borderRadius: 'var(--mantine-radius-sm)',
                background: `color-mix(in srgb, ${severityColor(severity)} 10%, var(--mantine-color-body))`,
              }}
            >
              {number(counts[severity])} {SEVERITY_NAMES[severity].charAt(0)}
              <VisuallyHidden>{SEVERITY_NAMES[severity].slice(1)}</VisuallyHidden>
            </OrgAnchor>
          </Tip>
        );
      })}
    </Group>
  );
}

/** The number of findings of a project that have regressed, as a link to them. */
export function RegressedCount({ count, projectId }: { count: number; projectId: string }) {
  if (count === 0) {
    return (
      <Text size="sm" c="dimmed">
        {text.none}
      </Text>
    );
  }
  return (
    <OrgAnchor
      to="/o/$org/findings"
      search={{ ...REGRESSED, project_id: projectId }}
      aria-label={text.countRegressed(count)}
      c="inherit"
    >
      <span className={classes.status} data-regressed>
        <IconRotateClockwise size={15} stroke={1.8} aria-hidden />
        <strong>{number(count)}</strong>
      </span>
    </OrgAnchor>
  );
}
