import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import * as text from '#strings/findings/list/selection.tsx';
import { useOrg } from '../../../app/session.ts';
import { openConfirm } from '../../../components/dialogs/confirm.ts';
import { BATCH, type Outcome } from '../../../triage/engine/change-statuses.ts';
import type { FormPreset } from '../../../triage/form/triage-form.ts';
import { asksReason, type UserStatus } from '../../../triage/statuses.ts';
import type { TriageState } from '../../../triage/use-triage.ts';
import type { FindingFilter } from '../../list-queries.ts';
import { STATUS_NAMES } from '../../Severity.tsx';
import { leavesList } from '../../views.ts';
import { type Held, positionOf } from '../rows/positions.ts';
import type { Rows } from '../rows/use-rows.ts';
import { collect, type Selection, type Titled } from './selection.ts';

export type Bulk = ReturnType<typeof useBulk>;

/**
 * Selects findings and changes the selected ones.
 * @param rows the rows of the list
 * @param inView the visible findings
 * @param onLeaving called with the ids of findings that are about to leave the list
 */
export function useBulk(
  filter: FindingFilter,
  selection: Selection,
  rows: Pick<Rows, 'total' | 'isCapped' | 'rowNow' | 'between'>,
  inView: readonly Titled[],
  triage: Pick<TriageState, 'run' | 'decide' | 'runMatching' | 'decideMatching' | 'retry'>,
  onLeaving: (ids: ReadonlySet<string>) => void,
) {
  const org = useOrg();
  const queries = useQueryClient();
  /** The row that was last selected. */
  const anchor = useRef<Held>(undefined);
  const abort = useRef<AbortController>(undefined);
  const [progress, setProgress] = useState<{ read: number; total: number | undefined }>();
  useEffect(() => () => abort.current?.abort(), []);

  /** One read at a time. A new one cancels the previous one. */
  const reading = useMutation({
    mutationFn: async (read: (signal: AbortSignal) => Promise<void>) => {
      abort.current?.abort();
      const controller = new AbortController();
      abort.current = controller;
      try {
        await read(controller.signal);
      } catch (error) {
        if (!controller.signal.aborted) throw error;
      } finally {
        if (abort.current === controller) setProgress(undefined);
      }
    },
  });

  const cancel = () => abort.current?.abort();
  const forget = ({ previous }: Outcome) => selection.remove(previous);
  const leave = (status: UserStatus | undefined) => {
    const isLeaving = status !== undefined && leavesList(filter, status);
    onLeaving(new Set(isLeaving ? selection.known().map(({ id }) => id) : []));
  };
  const clear = () => selection.clear();
  /** Opens the form for the selected findings. */
  const decide = (preset?: FormPreset) =>
    selection.isAll()
      ? triage.decideMatching({ filter, total: selection.size() }, preset, { onDone: clear })
      : triage.decide(selection.known(), preset, { onStart: ({ status }) => leave(status), onDone: forget });

  return {
    /** Set while findings are read for the selection. Their number may not be known yet. */
    progress,
    error: reading.error,
    cancel,

    /** Clears the selection and cancels a read in progress. */
    clear() {
      cancel();
      reading.reset();
      selection.clear();
    },

    /** Selects or deselects a row; with `range`, all rows since the last one. */
    select(index: number, range: boolean) {
      const row = rows.rowNow(index);
      if (!row) return;
      const from = anchor.current && positionOf(anchor.current, rows.total ?? 0, rows.rowNow);
      anchor.current = { at: index, id: row.id };
      if (selection.isAll()) {
        // The service has no filter for all findings but one.
        const others = inView.filter(({ id }) => id !== row.id);
        selection.clear();
        return selection.set(others, true);
      }
      if (!range || from === undefined) return selection.set([row], !selection.has(row.id));
      const ends = [Math.min(from, index), Math.max(from, index)] as const;
      const total = ends[1] - ends[0] + 1;
      reading.mutate(async (signal) => {
        const all = await rows.between(...ends, signal, (read) => {
          if (total > BATCH) setProgress({ read, total });
        });
        selection.set(all, true);
      });
    },

    /** Selects all matching findings. */
    selectAll(total: number) {
      // A bulk change states how many findings it changes.
      if (total > BATCH && !rows.isCapped) return selection.setAll(total);
      setProgress({ read: 0, total: rows.isCapped ? undefined : total });
      reading.mutate(async (signal) => {
        const all = await collect(org, filter, signal);
        if (typeof all === 'number') selection.setAll(all);
        else selection.set(all, true);
      });
    },

    setStatus(status: UserStatus) {
      if (asksReason(status)) return decide({ status });
      const run = () => {
        if (selection.isAll()) return triage.runMatching({ filter, total: selection.size(), status }, clear);
        leave(status);
        const changes = selection
          .known()
          .map(({ id, title, status: if_status }) => ({ id, title, status, if_status }));
        triage.run(changes, forget);
      };
      const count = selection.size();
      if (count <= BATCH) return run();
      openConfirm({
        title: text.setAll(count, STATUS_NAMES[status]),
        children: text.canBeUndone,
        confirm: text.setStatus,
        onConfirm: run,
      });
    },

    decide,

    /** Deletes the selected findings, once the user has confirmed it. */
    remove() {
      const ids = selection.known().map(({ id }) => id);
      const selected = selection.isAll() ? { filter, total: selection.size() } : { ids };
      openConfirm({
        title: text.deleteThese(selection.size()),
        children: text.deletionCanBeUndone,
        confirm: text.deleteFindings,
        color: 'red',
        onConfirm: async () => {
          onLeaving(new Set(ids));
          clear();
          const { deleteFindings } = await import('../../../deletion/delete-findings.ts');
          await deleteFindings(org, queries, selected);
        },
      });
    },

    retry: () => triage.retry(forget),
  };
}
