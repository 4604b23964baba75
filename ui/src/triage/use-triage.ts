import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import {
  createElement,
  Suspense,
  useCallback,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { lazyNamed } from '../app/late.ts';
import { matchingOf } from '../app/search.ts';
import { type OrgSession, useMe, useOrg } from '../app/session.ts';
import { type FindingFilter, totalQuery } from '../findings/list-queries.ts';
import { refreshFindings, shownStatuses, showStatuses } from './cache.ts';
import { type Change, type Decision, requestOf } from './decision.ts';
import { MATCHING_BATCH, type MatchingChange, type Step } from './engine/change-matching.ts';
import type { Outcome } from './engine/change-statuses.ts';
import { createTriage } from './engine/engine.ts';
import type { UndoStack } from './engine/model.ts';
import { createUndoStack } from './engine/state.ts';
import { type FormPreset, type Target, triageForm } from './form/triage-form.ts';
import { createMessages } from './messages.tsx';

export type TriageState = ReturnType<typeof useTriage>;

const Conflicts = lazyNamed(() => import('./Conflicts.tsx'), 'Conflicts');

const stacks = new WeakMap<QueryClient, Map<string, UndoStack>>();

/** The changes of this visit, which all pages of an organization can undo. */
function undoStackOf(queries: QueryClient, { slug }: OrgSession): UndoStack {
  const ofClient = stacks.get(queries) ?? new Map<string, UndoStack>();
  stacks.set(queries, ofClient);
  const stack = ofClient.get(slug) ?? createUndoStack();
  ofClient.set(slug, stack);
  return stack;
}

interface DecideOptions {
  /** Called when the user has decided. */
  onStart?(decision: Decision): void;
  onDone?(outcome: Outcome): void;
}

/**
 * The triage of the current page.
 * @param filter of the list that is triaged
 */
export function useTriage(filter: FindingFilter) {
  const org = useOrg();
  const { user } = useMe();
  const queries = useQueryClient();
  const { mutateAsync: send } = useMutation({
    mutationFn: async (changes: readonly Change[]) => {
      const body = { changes: changes.map(requestOf) };
      return (await org.api.patch('/findings', { body })).result;
    },
  });
  const { mutateAsync: sendMatching } = useMutation({
    mutationFn: async ({ change, step }: { change: MatchingChange; step: Step }) => {
      const { filter, total: _, assignee: __, ...decision } = change;
      const body = { filter: matchingOf(filter), limit: MATCHING_BATCH, ...step, ...decision };
      return (await org.api.patch('/findings', { body })).result;
    },
  });
  const { mutateAsync: undo } = useMutation({
    mutationFn: async (id: string) =>
      (await org.api.post('/changes/{id}/undo', { params: { path: { id } } })).result,
  });
  // A toast may call undo after the page shows another list.
  const latest = useRef({ send, sendMatching, undo, filter });
  useLayoutEffect(() => {
    latest.current = { send, sendMatching, undo, filter };
  });
  const [triage] = useState(() =>
    createTriage({
      send: (changes) => latest.current.send(changes),
      sendMatching: (change, step) => latest.current.sendMatching({ change, step }),
      countMatching: (filter) => queries.query({ ...totalQuery(org, filter), staleTime: 0 }),
      undo: (id) => latest.current.undo(id),
      undoable: undoStackOf(queries, org),
      show: (changes) => showStatuses(queries, org, latest.current.filter, changes),
      showRestored: (restored) => void showStatuses(queries, org, latest.current.filter, restored),
      refresh: () => void refreshFindings(queries, org),
      messages: createMessages((conflicts) =>
        createElement(Suspense, { fallback: null }, createElement(Conflicts, { org, conflicts })),
      ),
    }),
  );
  const job = useSyncExternalStore(triage.subscribe, triage.job);

  /** Changes findings that still have the status that the list shows. */
  const run = useCallback(
    (changes: readonly Change[], onDone?: (outcome: Outcome) => void) => {
      const shown = shownStatuses(queries, org, new Set(changes.map(({ id }) => id)));
      triage.run(
        changes.map((change) => {
          const if_status = change.if_status ?? shown.get(change.id);
          return { ...change, ...(if_status && { if_status }) };
        }),
        onDone,
      );
    },
    [triage, queries, org],
  );
  /** Opens the form for findings, and applies what the user decides. */
  const decide = useCallback(
    (findings: readonly Target[], preset: FormPreset = {}, { onStart, onDone }: DecideOptions = {}) =>
      triageForm.set({
        org,
        user,
        findings,
        preset,
        onDecide(decision: Decision, assignee) {
          onStart?.(decision);
          run(
            findings.map(({ id, title, status }) => ({
              id,
              title,
              ...decision,
              ...(status && { if_status: status }),
              ...(assignee !== undefined && { assignee }),
            })),
            onDone,
          );
        },
      }),
    [org, user, run],
  );
  /** Opens the form for all findings that match a filter, and applies what the user decides. */
  const decideMatching = useCallback(
    (
      matching: Pick<MatchingChange, 'filter' | 'total'>,
      preset: FormPreset = {},
      { onStart, onDone }: Pick<DecideOptions, 'onStart'> & { onDone?(): void } = {},
    ) =>
      triageForm.set({
        org,
        user,
        findings: [],
        count: matching.total,
        projectId: matching.filter.project_id?.includes(',') ? undefined : matching.filter.project_id,
        preset,
        onDecide(decision, assignee) {
          onStart?.(decision);
          triage.runMatching(
            { ...matching, ...decision, ...(assignee !== undefined && { assignee }) },
            onDone,
          );
        },
      }),
    [org, user, triage],
  );
  return { ...triage, run, decide, decideMatching, job };
}
