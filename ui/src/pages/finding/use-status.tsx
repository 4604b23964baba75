import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { problemOf } from '../../parts/problem.ts';
import { STATUS_NAMES } from '../../parts/Severity.tsx';
import type { UserStatus } from '../../parts/shortcuts.ts';
import { type Finding, findingQuery, placesKey } from '../../queries/finding.ts';
import { type FindingFilter, findingsChanged, showStatuses } from '../../queries/findings.ts';
import type { FindingStatus } from '../../search.ts';
import { useOrg } from '../../session.ts';

interface Change {
  finding: Pick<Finding, 'id' | 'title'>;
  status: UserStatus;
  undoing?: boolean;
}

type Undoable = { finding: Change['finding']; before: FindingStatus };

/**
 * Sets the status of one finding after another: shown at once, taken back when the service refuses, and to be undone, also
 * when another finding is looked at by then.
 * @param filter of the list that is gone through
 */
export function useStatus(filter: FindingFilter) {
  const org = useOrg();
  const queries = useQueryClient();
  const undoable = useRef<Undoable[]>([]);
  const told = useRef<string>(undefined);
  const mutationKey = ['org', org.slug, 'triage'];

  const tell = (data: Parameters<typeof notifications.show>[0]) => {
    if (told.current) notifications.hide(told.current);
    told.current = notifications.show({ autoClose: 8000, ...data });
  };

  const remember = (entry: Undoable) => {
    undoable.current = [...undoable.current.slice(-49), entry];
  };

  const { mutate } = useMutation({
    mutationKey,
    // In the order of the keys that were pressed.
    scope: { id: 'triage' },
    mutationFn: async ({ finding: { id }, status }: Change) =>
      (await org.api.patch('/findings/{id}', { params: { path: { id } }, body: { status } })).result,
    onMutate: async ({ finding: { id }, status }) => {
      const { queryKey } = findingQuery(org, id);
      await queries.cancelQueries({ queryKey, exact: true });
      const before = queries.getQueryData(queryKey);
      if (before) {
        const status_changed_at = new Date().toISOString();
        queries.setQueryData(queryKey, { ...before, status, status_changed_at });
      }
      return { before, takeBack: showStatuses(queries, org, filter, new Map([[id, status]])) };
    },
    onSuccess: (result, { finding, status, undoing }, { before }) => {
      if (isLast()) queries.setQueryData(findingQuery(org, finding.id).queryKey, result);
      if (!before) return;
      const entry = { finding, before: before.status };
      if (!undoing) remember(entry);
      tell({
        color: 'teal',
        message: (
          <Group justify="space-between" wrap="nowrap" gap="sm">
            <div>
              <Text size="sm" lineClamp={1}>
                <bdi>{finding.title}</bdi>
              </Text>
              <Text size="sm" fw={600}>
                {undoing ? 'Undone: it is' : 'Set to'} {STATUS_NAMES[status]}
              </Text>
            </div>
            {!undoing && (
              <Button size="compact-sm" variant="light" onClick={() => undo(entry)}>
                Undo
              </Button>
            )}
          </Group>
        ),
      });
    },
    onError: (error, { finding, status, undoing }, context) => {
      context?.takeBack();
      if (undoing) remember({ finding, before: status });
      const { queryKey } = findingQuery(org, finding.id);
      const { before } = context ?? {};
      queries.setQueryData(queryKey, (now) => (now?.status === status && before ? before : now));
      const { title, advice } = problemOf(error);
      tell({ color: 'red', title: `Not changed: ${title}`, message: advice, autoClose: 12_000 });
    },
    onSettled: async () => {
      if (!isLast()) return;
      await findingsChanged(queries, org);
      await queries.refetchQueries({ queryKey: placesKey(org), type: 'active' });
    },
  });
  const isLast = () => queries.isMutating({ mutationKey }) <= 1;

  function undo(entry = undoable.current.at(-1)) {
    if (!entry) return tell({ color: 'gray', message: 'There is nothing to undo.' });
    undoable.current = undoable.current.filter((one) => one !== entry);
    const { finding, before: status } = entry;
    if (status === 'verified') {
      return tell({
        color: 'yellow',
        title: 'This cannot be undone',
        message: 'It was verified by an agent, which only agents can say.',
      });
    }
    mutate({ finding, status, undoing: true });
  }

  return {
    set: (finding: Finding, status: UserStatus) => {
      if (finding.status !== status) mutate({ finding, status });
    },
    undo: () => undo(),
  };
}

export type SetStatus = ReturnType<typeof useStatus>;
