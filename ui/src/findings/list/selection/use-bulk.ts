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
import { type Held, placeOf } from '../rows/places.ts';
import type { Rows } from '../rows/use-rows.ts';
import { collect } from './collect.ts';
import type { Selection } from './selection.ts';

export type Bulk = ReturnType<typeof useBulk>;

/**
 * Selecting many findings, and doing something with them.
 * @param rows what is known of the list, and how more of it is read
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

  /** One at a time, until it is cancelled. */
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
    /** Set while findings are read in order to select them. */
    progress,
    error: reading.error,
    cancel,

    /** Selects nothing, nor what is still being read. */
    clear() {
      cancel();
      reading.reset();
      selection.clear();
    },

    /** Selects a row or takes it back; with `range`, all rows from the last one that was. */
    select(index: number, range: boolean) {
      const row = rows.rowNow(index);
      if (!row) return;
      const from = anchor.current && placeOf(anchor.current, rows.total ?? 0, rows.rowNow);
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

    /** Selects everything that matches. */
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
        children: 'It takes a moment, can be stopped, and can be undone as long as you stay on this page.',
        labels: { confirm: 'Set status', cancel: 'Cancel' },
        onConfirm: () => triage.run(changes, forget),
      });
    },

    retry: () => triage.retry(forget),
  };
}
