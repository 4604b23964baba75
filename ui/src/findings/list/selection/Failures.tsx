import { Button, Collapse, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { problemOf } from '../../../components/errors/problem.ts';
import { RequestId } from '../../../components/errors/RequestId.tsx';
import { number } from '../../../components/numbers.ts';
import type { Job } from '../../../triage/engine/model.ts';
import { titleOf } from '../../title.ts';
import classes from '../FindingsGrid.module.css';

/** The number of failures shown. */
const SHOWN = 100;

interface Props {
  job: Job;
  onRetry(): void;
  onUndo(): void;
  onDismiss(): void;
}

/** The findings that a bulk change did not change, with reasons and actions. */
export function Failures({ job, onRetry, onUndo, onDismiss }: Props) {
  const { done, failed, kept, left, unknown } = job;
  const [opened, { toggle }] = useDisclosure();
  const parts = [
    `${number(done)} changed`,
    failed.length > 0 && `${number(failed.length)} failed`,
    kept > 0 && `${number(kept)} kept, because someone else has changed them`,
    left > 0 && `${number(left)} not tried`,
  ].filter(Boolean);
  return (
    <section className={classes.failures} aria-label="Changes that failed" data-bottom-bar>
      <Group gap="xs">
        <Text size="sm" fw={600} role="status">
          {parts.join(', ')}
        </Text>
        <Group gap="xs">
          <Button size="compact-sm" onClick={onRetry}>
            {failed.length > 0 ? 'Try again' : 'Continue'}
          </Button>
          {failed.length > 0 && (
            <Button size="compact-sm" variant="subtle" onClick={toggle} aria-expanded={opened}>
              {opened ? 'Hide details' : 'Show details'}
            </Button>
          )}
          {done > 0 && !job.undoing && (
            <Button size="compact-sm" variant="default" onClick={onUndo}>
              Undo
            </Button>
          )}
          <Button size="compact-sm" variant="default" onClick={onDismiss}>
            Dismiss
          </Button>
        </Group>
        <RequestId error={job.error} />
      </Group>
      {job.error != null && failed.length === 0 && (
        <Text size="sm">
          {problemOf(job.error).title}.
          {unknown > 0 &&
            ` The response was lost, so up to ${number(unknown)} of these findings may have been changed: see Recent changes.`}
        </Text>
      )}
      <Collapse expanded={opened}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard. */}
        <ul className={classes.reasons} tabIndex={0} aria-label="Findings that were not changed">
          {failed.slice(0, SHOWN).map(({ id, title, why }) => (
            <li key={id}>
              <bdi>{titleOf(title)}</bdi>: {why}
            </li>
          ))}
          {failed.length > SHOWN && <li>and {number(failed.length - SHOWN)} more</li>}
        </ul>
      </Collapse>
    </section>
  );
}
