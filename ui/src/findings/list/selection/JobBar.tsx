import { Button, Collapse, Group, Progress, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import * as text from '#strings/findings/list/selection.tsx';
import { RequestId } from '../../../components/errors/Problem.tsx';
import { problemOf } from '../../../components/errors/problem.ts';
import type { Job } from '../../../triage/engine/model.ts';
import type { TriageState } from '../../../triage/use-triage.ts';
import { titleOf } from '../../title.ts';
import classes from '../FindingsGrid.module.css';

interface Props {
  triage: Pick<TriageState, 'job' | 'stop' | 'undo' | 'dismiss'>;
  /** Tries again what failed or is left. */
  onRetry(): void;
}

/** The progress of a bulk change, or its failures. */
export function JobBar({ triage, onRetry }: Props) {
  const { job } = triage;
  if (!job) return null;
  if (!job.running)
    return <Failures job={job} onRetry={onRetry} onUndo={triage.undo} onDismiss={triage.dismiss} />;
  const tried = job.done + job.failed.length + job.kept;
  return (
    <ProgressBar
      label={(job.undoing ? text.undoing : text.changing)(tried, job.total)}
      part={Math.min(1, tried / job.total)}
      end={text.stop}
      onEnd={triage.stop}
    />
  );
}

/** A progress bar with a button that ends the operation. */
export function ProgressBar({
  label,
  part,
  end,
  onEnd,
}: {
  label: string;
  part: number;
  end: string;
  onEnd(): void;
}) {
  return (
    <section className={classes.bar} aria-label={text.progress}>
      <Text size="sm">{label}</Text>
      <Progress value={part * 100} flex="1 1 8rem" aria-label={label} transitionDuration={100} />
      <Button size="compact-sm" variant="default" onClick={onEnd}>
        {end}
      </Button>
    </section>
  );
}

/** The number of failures shown. */
const SHOWN = 100;

interface FailuresProps {
  job: Job;
  onRetry(): void;
  onUndo(): void;
  onDismiss(): void;
}

/** The findings that a bulk change did not change, with reasons and actions. */
function Failures({ job, onRetry, onUndo, onDismiss }: FailuresProps) {
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
