import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLayoutEffect, useRef, useState } from 'react';
import { problemOf } from '../../parts/problem.ts';
import { STATUS_NAMES } from '../../parts/Severity.tsx';
import { type FindingFilter, findingsChanged, showStatuses } from '../../queries/findings.ts';
import { useOrg } from '../../session.ts';
import { counted } from './filters.ts';
import { type Change, changeStatuses, type Outcome } from './triage.ts';

/** Many findings that are being changed, or were not all changed. */
export interface Job extends Outcome {
  total: number;
  running: boolean;
  undoing: boolean;
}

type Before = Outcome['before'];

interface Run {
  changes: Change[];
  undoing?: boolean;
  onDone?: ((outcome: Outcome) => void) | undefined;
}

/** What is shown before it is so. */
interface Shown {
  takeBack(): void;
}

export type Triage = ReturnType<typeof useTriage>;

/** Changes statuses of findings: shown at once, in batches, with what failed, and to be undone. */
export function useTriage(filter: FindingFilter) {
  const org = useOrg();
  const queries = useQueryClient();
  const [job, setJob] = useState<Job>();
  const abort = useRef<AbortController>(undefined);
  const pending = useRef(0);
  const begun = useRef(0);
  /** In the order in which the changes were begun: answers may come in another one. */
  const undoable = useRef<{ turn: number; before: Before }[]>([]);
  const told = useRef<string>(undefined);

  const tell = (message: React.ReactNode, color = 'teal', title?: string) => {
    if (told.current) notifications.hide(told.current);
    told.current = notifications.show({ color, title, message, autoClose: 6000 });
  };

  const remember = (turn: number, before: Before) => {
    undoable.current = [...undoable.current, { turn, before }].sort((a, b) => a.turn - b.turn).slice(-20);
  };

  const show = (changes: readonly Change[]) =>
    showStatuses(queries, org, filter, new Map(changes.map(({ id, status }) => [id, status])));

  const { mutateAsync } = useMutation({
    mutationFn: async ({ changes, undoing = false, onDone, takeBack }: Run & Shown) => {
      const turn = begun.current++;
      const many = changes.length > 1;
      const controller = new AbortController();
      if (many) {
        abort.current = controller;
        setJob({
          total: changes.length,
          running: true,
          undoing,
          done: 0,
          before: [],
          failed: [],
          left: [],
        });
      }
      pending.current++;
      const outcome = await changeStatuses(org, changes, controller.signal, ({ done, failed }) => {
        if (many) setJob((job) => job && { ...job, done, failed: [...failed] });
      });
      pending.current--;
      const { before, failed, left, error } = outcome;
      const incomplete = failed.length > 0 || left.length > 0;
      if (incomplete) {
        // Nobody knows when the list can be read again: it says what is known to be so.
        const changed = new Set(before.map(({ id }) => id));
        takeBack();
        show(changes.filter(({ id }) => changed.has(id)));
      }
      if (pending.current === 0) void findingsChanged(queries, org);
      if (before.length > 0 && !undoing) remember(turn, before);
      onDone?.(outcome);
      if (many) {
        setJob(incomplete ? { ...outcome, total: changes.length, running: false, undoing } : undefined);
      } else if (failed[0]) {
        const { title, advice } = error
          ? problemOf(error)
          : { title: 'Not changed', advice: failed[0].reason };
        tell(advice, 'red', title);
        if (undoing) remember(turn, changes);
      }
      if (before.length > 0 && !(many && incomplete))
        tell(undoing ? `Undone: ${counted(before.length, 'finding')}.` : <Done />);
      // So that it is seen when the session has ended.
      if (error) throw error;

      function Done() {
        const [first] = changes;
        if (!first) return null;
        return (
          <Group justify="space-between" wrap="nowrap" gap="xs">
            <Text size="sm" lineClamp={2}>
              {many ? counted(before.length, 'finding') : <bdi>{first.title}</bdi>}
              {` set to ${STATUS_NAMES[first.status]}.`}
            </Text>
            <Button size="compact-sm" variant="light" onClick={() => latest.current.undo(before)} flex="none">
              Undo
            </Button>
          </Group>
        );
      }
    },
  });

  /** Changes that are under way; their errors have been told. */
  const underWay = useRef(new Set<Promise<unknown>>());
  function mutate(run: Run) {
    // At once, so that the next key finds the next one. An answer that is on its way knows nothing of the change.
    queries.cancelQueries({ queryKey: ['org', org.slug, 'findings', 'rows'] });
    const done = mutateAsync({ ...run, takeBack: show(run.changes) })
      .catch(() => {})
      .finally(() => underWay.current.delete(done));
    underWay.current.add(done);
  }

  function run(changes: Change[], onDone?: (outcome: Outcome) => void) {
    if (changes.length > 0 && !(job?.running && changes.length > 1)) mutate({ changes, onDone });
  }

  /** Takes back what `before` says, or else the last change. */
  async function undo(before?: Before) {
    if (job?.running) return tell('Others are still being changed.', 'gray');
    // The last one may not have been answered yet.
    await Promise.all(underWay.current);
    before ??= undoable.current.at(-1)?.before;
    if (!before) return tell('There is nothing to undo.', 'gray');
    undoable.current = undoable.current.filter((one) => one.before !== before);
    const changes = before.flatMap(({ status, ...one }) =>
      status === 'verified' ? [] : [{ ...one, status }],
    );
    const lost = before.length - changes.length;
    if (changes.length > 0) mutate({ changes, undoing: true });
    if (lost > 0) {
      notifications.show({
        color: 'yellow',
        title: `${counted(lost, 'finding')} cannot be put back`,
        message: 'They were verified by an agent, which only agents can say.',
        autoClose: 12_000,
      });
    }
  }

  // What was told is clicked when the list may show something else.
  const latest = useRef({ undo });
  useLayoutEffect(() => {
    latest.current = { undo };
  });

  return {
    job,
    run,
    undo: () => undo(),
    stop: () => abort.current?.abort(),
    again: (onDone?: (outcome: Outcome) => void) => {
      if (!job) return;
      const changes = [...job.failed.map(({ reason: _, ...change }) => change), ...job.left];
      mutate({ changes, undoing: job.undoing, onDone });
    },
    dismiss: () => setJob(undefined),
  };
}
