import { Button, Menu, Progress, Text } from '@mantine/core';
import { IconChevronUp } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { Problem } from '../../../components/errors/Problem.tsx';
import { problemOf } from '../../../components/errors/problem.ts';
import { counted, number } from '../../../components/numbers.ts';
import { StatusItems } from '../../../triage/StatusItems.tsx';
import type { TriageState } from '../../../triage/use-triage.ts';
import classes from '../FindingsGrid.module.css';
import { Failures } from './Failures.tsx';
import { type Selection, useSelectionSize } from './selection.ts';
import type { Bulk } from './use-bulk.ts';

interface Props {
  total: number | undefined;
  selection: Selection;
  bulk: Bulk;
  triage: TriageState;
  /** Called after a button with the focus has disappeared. */
  onFocusLost(): void;
  /** The error of rows that could not be read. */
  failure: { error: unknown; retry(): unknown };
}

/** The selection and its actions, the progress of a bulk change, and its failures. */
export function BulkBar({ total = 0, selection, bulk, triage, failure, onFocusLost }: Props) {
  const size = useSelectionSize(selection);
  const { job } = triage;
  const { progress } = bulk;
  const shows = job?.running ? 'job' : job ? 'failures' : progress ? 'progress' : size > 0 && 'selection';
  const had = useRef(false);
  useEffect(() => {
    // Keeps the keyboard in the list.
    if (had.current && document.activeElement === document.body) onFocusLost();
    had.current = shows !== false;
  });
  if (failure.error) {
    return <Problem error={failure.error} onRetry={failure.retry} />;
  }
  if (job?.running) {
    const tried = job.done + job.failed.length;
    return (
      <Bar
        label={`${job.undoing ? 'Undoing' : 'Changing statuses'}: ${number(tried)} of ${counted(job.total, 'finding')}`}
        part={tried / job.total}
        end="Stop"
        onEnd={triage.stop}
      />
    );
  }
  if (job) return <Failures job={job} onRetry={bulk.retry} onUndo={triage.undo} onDismiss={triage.dismiss} />;
  if (progress) {
    return (
      <Bar
        label={`Selecting: ${number(progress.read)} of ${counted(progress.total, 'finding')}`}
        part={progress.read / Math.max(1, progress.total)}
        end="Cancel"
        onEnd={bulk.cancel}
      />
    );
  }
  if (size === 0) return null;
  return (
    <section className={classes.bar} aria-label="Selected findings" data-bottom-bar>
      <Text size="sm" fw={600} role="status">
        {number(size)} selected
      </Text>
      <Menu position="top-start" width={200}>
        <Menu.Target>
          <Button size="compact-sm" rightSection={<IconChevronUp size={14} aria-hidden />}>
            Set status
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <StatusItems onChoose={bulk.setStatus} />
        </Menu.Dropdown>
      </Menu>
      <Button size="compact-sm" variant="default" onClick={bulk.clear}>
        Clear
      </Button>
      {size < total && (
        <Button size="compact-sm" variant="subtle" onClick={() => bulk.selectAll(total)}>
          Select all {number(total)} matching findings
        </Button>
      )}
      {bulk.error != null && (
        <Text size="sm" c="error" role="alert">
          {problemOf(bulk.error).title}
        </Text>
      )}
    </section>
  );
}

/** A progress bar with a button that ends the operation. */
function Bar({ label, part, end, onEnd }: { label: string; part: number; end: string; onEnd(): void }) {
  return (
    <section className={classes.bar} aria-label="Progress" data-bottom-bar>
      <Text size="sm">{label}</Text>
      <Progress value={part * 100} flex="1 1 8rem" aria-label={label} transitionDuration={100} />
      <Button size="compact-sm" variant="default" onClick={onEnd}>
        {end}
      </Button>
    </section>
  );
}
