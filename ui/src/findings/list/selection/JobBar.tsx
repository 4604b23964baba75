import { Button, Progress, Text } from '@mantine/core';
import * as text from '#strings/findings/list/selection.tsx';
import type { TriageState } from '../../../triage/use-triage.ts';
import classes from '../FindingsGrid.module.css';
import { Failures } from './Failures.tsx';

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
