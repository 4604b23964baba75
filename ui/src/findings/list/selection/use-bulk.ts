import { modals } from '@mantine/modals';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useOrg } from '../../../app/session.ts';
import { counted } from '../../../components/numbers.ts';
import { BATCH, type Outcome } from '../../../triage/change-statuses.ts';
import type { Triage } from '../../../triage/engine.ts';
import type { UserStatus } from '../../../triage/statuses.ts';
import type { FindingFilter } from '../../list-queries.ts';
import { STATUS_NAMES } from '../../Severity.tsx';
import { type Held, positionOf } from '../rows/positions.ts';
import type { Rows } from '../rows/use-rows.ts';
import { collect } from './collect.ts';
import type { Selection } from './selection.ts';

export type Bulk = ReturnType<typeof useBulk>;

/**
 * Selects findings and changes the selected ones.
 * @param rows the rows of the list
 */
export function useBulk(
  filter: FindingFilter,
  selection: Selection,
  rows: Pick<Rows, 'total' | 'rowNow' | 'between'>,
  triage: Pick<Triage, 'run' | 'retry'>,
) {
  const org = useOrg();
  /** The row that was last selected. */
  const anchor = useRef<Held>(undefined);
  const abort = useRef<AbortController>(undefined);
  const [progress, setProgress] = useState<{ read: number; total: number }>();
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
  const forget = ({ previous }: Outcome) => selection.set(previous, false);

  return {
    /** Set while findings are read for the selection. */
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
      setProgress({ read: 0, total });
      reading.mutate(async (signal) => {
        const all = await collect(org, filter, signal, (read, total) => setProgress({ read, total }));
        selection.set(all, true);
      });
    },

    setStatus(status: UserStatus) {
      const changes = selection.all().map((one) => ({ ...one, status }));
      if (changes.length <= BATCH) return triage.run(changes, forget);
      modals.openConfirmModal({
        title: `Set ${counted(changes.length, 'finding')} to ${STATUS_NAMES[status]}?`,
        children: 'You can stop the change, and undo it while you stay on this page.',
        labels: { confirm: 'Set status', cancel: 'Cancel' },
        onConfirm: () => triage.run(changes, forget),
      });
    },

    retry: () => triage.retry(forget),
  };
}
