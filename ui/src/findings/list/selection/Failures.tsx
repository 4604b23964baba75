import { Button, Collapse, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { number } from '../../../components/numbers.ts';
import type { Job } from '../../../triage/engine.ts';
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
  const { done, failed, left } = job;
  const [opened, { toggle }] = useDisclosure();
  const parts = [
    `${number(done)} changed`,
    failed.length > 0 && `${number(failed.length)} failed`,
    left.length > 0 && `${number(left.length)} not tried`,
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
      </Group>
      <Collapse expanded={opened}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard. */}
        <ul className={classes.reasons} tabIndex={0} aria-label="Findings that were not changed">
          {failed.slice(0, SHOWN).map(({ id, title, reason }) => (
            <li key={id}>
              <bdi>{title}</bdi>: {reason}
            </li>
          ))}
          {failed.length > SHOWN && <li>and {number(failed.length - SHOWN)} more</li>}
        </ul>
      </Collapse>
    </section>
  );
}
