import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useOrg } from '../app/session.ts';
import type { FindingFilter } from '../findings/list-queries.ts';
import { refreshFindings, showStatuses } from './cache.ts';
import type { Change } from './change-statuses.ts';
import { createTriage } from './engine.ts';
import { createMessages } from './messages.tsx';

export type TriageState = ReturnType<typeof useTriage>;

/**
 * The triage of the current page.
 * @param filter of the list that is triaged
 */
export function useTriage(filter: FindingFilter) {
  const org = useOrg();
  const queries = useQueryClient();
  const { mutateAsync: send } = useMutation({
    mutationFn: async (changes: readonly Change[]) => {
      const body = { changes: changes.map(({ id, status }) => ({ id, status })) };
      return (await org.api.patch('/findings', { body })).result;
    },
  });
  // A toast may call undo after the page shows another list.
  const latest = useRef({ send, filter });
  useLayoutEffect(() => {
    latest.current = { send, filter };
  });
  const [triage] = useState(() =>
    createTriage({
      send: (changes) => latest.current.send(changes),
      show: (changes) => showStatuses(queries, org, latest.current.filter, changes),
      refresh: () => void refreshFindings(queries, org),
      messages: createMessages(),
    }),
  );
  const job = useSyncExternalStore(triage.subscribe, triage.job);
  return { ...triage, job };
}
