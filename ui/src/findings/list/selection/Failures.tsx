import { Button, Collapse, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import * as text from '#strings/findings/list/selection.tsx';
import { RequestId } from '../../../components/errors/Problem.tsx';
import { problemOf } from '../../../components/errors/problem.ts';
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
  return (
    <section className={classes.failures} aria-label={text.failedChanges} data-bottom-bar>
      <Group gap="xs">
        <Text size="sm" fw={600} role="status">
          {text.result({ done, failed: failed.length, kept, left })}
        </Text>
        <Group gap="xs">
          <Button size="compact-sm" onClick={onRetry}>
            {failed.length > 0 ? text.tryAgain : text.goOn}
          </Button>
          {failed.length > 0 && (
            <Button size="compact-sm" variant="subtle" onClick={toggle} aria-expanded={opened}>
              {opened ? text.hideDetails : text.showDetails}
            </Button>
          )}
          {done > 0 && !job.undoing && (
            <Button size="compact-sm" variant="default" onClick={onUndo}>
              {text.undo}
            </Button>
          )}
          <Button size="compact-sm" variant="default" onClick={onDismiss}>
            {text.dismiss}
          </Button>
        </Group>
        <RequestId error={job.error} />
      </Group>
      {job.error != null && failed.length === 0 && (
        <Text size="sm">
          {unknown > 0
            ? text.problemWithLoss(problemOf(job.error).title, unknown)
            : text.problem(problemOf(job.error).title)}
        </Text>
      )}
      <Collapse expanded={opened}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard. */}
        <ul className={classes.reasons} tabIndex={0} aria-label={text.notChanged}>
          {failed.slice(0, SHOWN).map(({ id, title, why }) => (
            <li key={id}>{text.failure(titleOf(title), why)}</li>
          ))}
          {failed.length > SHOWN && <li>{text.andMore(failed.length - SHOWN)}</li>}
        </ul>
      </Collapse>
    </section>
  );
}
