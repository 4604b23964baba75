import { Button, Group, Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import * as text from '#strings/findings/list/selection.tsx';
import { number } from '#strings/language.ts';
import { Problem, RequestId } from '../../../components/errors/Problem.tsx';
import { problemOf } from '../../../components/errors/problem.ts';
import { LazyMenu } from '../../../components/floating/LazyMenu.tsx';
import { IconChevronDown, IconTrash, IconX } from '../../../icons/icons.ts';
import { isAllowedIn, useAllowedProjects } from '../../../projects/allowed-projects.ts';
import { StatusItems } from '../../../triage/StatusItems.tsx';
import type { TriageState } from '../../../triage/use-triage.ts';
import classes from '../FindingsGrid.module.css';
import { JobBar, ProgressBar } from './JobBar.tsx';
import { type Selection, useSelectionSize } from './selection.ts';
import type { Bulk } from './use-bulk.ts';

interface Props {
  total: number | undefined;
  /** Whether the total is not the number of findings that match and can be changed. */
  isCapped: boolean;
  selection: Selection;
  bulk: Bulk;
  triage: TriageState;
  /** Called after a button with the focus has disappeared. */
  onFocusLost(): void;
  /** The error of rows that could not be read. */
  failure: { error: unknown; retry(): unknown };
}

/** Whether the bar takes the place of the column headers. */
export const coversHead = (size: number, { job }: TriageState, { progress }: Bulk): boolean =>
  job ? job.running : progress !== undefined || size > 0;

/** The selection and its actions, the progress of a bulk change, and its failures. */
export function BulkBar({ total = 0, isCapped, selection, bulk, triage, failure, onFocusLost }: Props) {
  const deletable = useAllowedProjects('deleteFindings');
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
    return (
      <div className={classes.below}>
        <Problem error={failure.error} onRetry={failure.retry} />
      </div>
    );
  }
  if (job) return <JobBar triage={triage} onRetry={bulk.retry} />;
  if (progress) {
    return (
      <ProgressBar
        label={
          progress.total === undefined ? text.selectingAll : text.selecting(progress.read, progress.total)
        }
        part={progress.read / Math.max(1, progress.total ?? 0)}
        end={text.cancel}
        onEnd={bulk.cancel}
      />
    );
  }
  if (size === 0) return null;
  // The projects of all that match are not known.
  const mayDelete =
    deletable === undefined ||
    (!selection.isAll() && selection.known().every(({ project_id }) => isAllowedIn(deletable, project_id)));
  return (
    <section className={classes.bar} aria-label={text.selectedFindings}>
      <Text size="sm" fw={600} role="status">
        <span className={classes.wide}>
          {selection.isAll() ? text.allSelected(size) : text.selected(size)}
        </span>
        <span className={classes.narrow}>{number(size)}</span>
      </Text>
      <LazyMenu
        position="bottom-start"
        width={200}
        button={(props) => (
          <Button {...props} size="compact-sm" rightSection={<IconChevronDown size={14} aria-hidden />}>
            <span className={classes.wide}>{text.setStatus}</span>
            <span className={classes.narrow}>{text.status}</span>
          </Button>
        )}
      >
        {(menu) => <StatusItems menu={menu} onChoose={bulk.setStatus} />}
      </LazyMenu>
      <Button size="compact-sm" variant="default" aria-haspopup="dialog" onClick={() => bulk.decide()}>
        {text.triage}
      </Button>
      {mayDelete && (
        <Button size="compact-sm" variant="default" aria-haspopup="dialog" onClick={bulk.remove}>
          <span className={classes.wide}>{text.deleteAsk}</span>
          <IconTrash size={16} className={classes.narrow} role="img" aria-label={text.deleteAsk} />
        </Button>
      )}
      <Button size="compact-sm" variant="default" onClick={bulk.clear}>
        <span className={classes.wide}>{text.clear}</span>
        <IconX size={16} className={classes.narrow} role="img" aria-label={text.clear} />
      </Button>
      {(isCapped ? !selection.isAll() : size < total) && (
        <Button size="compact-sm" variant="subtle" onClick={() => bulk.selectAll(total)}>
          <span className={classes.wide}>{isCapped ? text.selectAllMatching : text.selectAll(total)}</span>
          <span className={classes.narrow}>
            {isCapped ? text.selectAllMatchingShort : text.selectAllShort(total)}
          </span>
        </Button>
      )}
      {bulk.error != null && (
        <Group gap="xs" role="alert">
          <Text size="sm" c="var(--mantine-color-error)">
            {problemOf(bulk.error).title}
          </Text>
          <RequestId error={bulk.error} />
        </Group>
      )}
    </section>
  );
}
