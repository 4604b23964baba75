import { Button, Group, Kbd, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';
import { openConfirm } from '../components/dialogs/confirm.ts';
import { Advice } from '../components/errors/Problem.tsx';
import { problemOf } from '../components/errors/problem.ts';
import { FAILED_MS } from '../components/errors/toasts.ts';
import { counted, number } from '../components/numbers.ts';
import { STATUS_NAMES } from '../findings/Severity.tsx';
import { titleOf } from '../findings/title.ts';
import type { Change, Decision } from './decision.ts';
import type { Conflict, Previous } from './engine/change-statuses.ts';
import type { Messages } from './engine/model.ts';
import { textOf } from './texts.ts';

/** How long “Undo” is shown. The pointer or the focus on the toast keeps it longer. */
const UNDO_MS = 60_000;

/** Messages as toasts. A new toast replaces the previous one, also that of another page. */
let shown: string | undefined;

/** @param renderConflicts the content of the dialog about findings that someone else has changed */
export function createMessages(renderConflicts: (conflicts: readonly Conflict[]) => ReactNode): Messages {
  const show = (data: Parameters<typeof notifications.show>[0]) => {
    if (shown) notifications.hide(shown);
    shown = notifications.show({ autoClose: 8_000, ...data });
  };
  const showChanged = (
    decision: Decision & { assignee?: string },
    findings: ReactNode,
    undo: (() => void) | undefined,
    lines = 2,
  ) =>
    show({
      color: 'teal',
      autoClose: UNDO_MS,
      message: (
        <Group justify="space-between" wrap="nowrap" gap="xs">
          <Text size="sm" lineClamp={lines}>
            {/* The change comes first, because long titles are cut off. */}
            {`${textOf(decision, decision.assignee)}: `}
            {findings}
          </Text>
          {undo && (
            <Button
              size="compact-sm"
              variant="light"
              onClick={undo}
              flex="none"
              rightSection={
                <Kbd size="xs" aria-hidden visibleFrom="sm">
                  u
                </Kbd>
              }
            >
              Undo
            </Button>
          )}
        </Group>
      ),
    });
  return {
    changed: (changes, undo) => {
      const [first] = changes;
      if (first) showChanged(first, named(changes), undo);
    },
    changedMatching: (change, { done, kept, gone }, undo) => {
      const others = [
        kept > 0 && `${counted(kept, 'finding')} kept: changed by someone else since.`,
        gone > 0 && `${counted(gone, 'finding')} no longer matched: changed by someone else meanwhile.`,
      ].filter(Boolean);
      const findings = [counted(done, 'finding'), ...others].join('. ');
      showChanged(change, findings, done > 0 ? undo : undefined, 4);
    },
    otherCount: (change, count, proceed) => {
      if (count === 0) {
        return show({ color: 'gray', message: 'Nothing was changed: no finding matches any more.' });
      }
      openConfirm({
        title: `${counted(count, 'finding')} match${count === 1 ? 'es' : ''} now, not ${number(change.total)}`,
        children:
          'Nothing was changed. Findings were added, or someone else has changed some, since you selected them.',
        labels: { confirm: `Change ${count === 1 ? 'it' : `all ${number(count)}`}`, cancel: 'Cancel' },
        onConfirm: proceed,
      });
    },
    undone: (findings, kept) =>
      show({
        color: kept > 0 ? 'yellow' : 'teal',
        message: (
          <Text size="sm" lineClamp={3}>
            {undoneText(findings)}
            {kept > 0 && ` ${counted(kept, 'finding')} kept: changed by someone else since.`}
          </Text>
        ),
        ...(kept > 0 && { autoClose: FAILED_MS }),
      }),
    failed({ why }, error) {
      show({
        color: 'red',
        title: error ? `Not changed: ${problemOf(error).title}` : 'Not changed',
        message: error ? <Advice error={error} /> : why,
        autoClose: FAILED_MS,
      });
    },
    conflicts: (conflicts, overwrite) =>
      openConfirm({
        title:
          conflicts.length === 1
            ? 'Someone else has changed this finding'
            : `Someone else has changed ${counted(conflicts.length, 'finding')}`,
        children: renderConflicts(conflicts),
        labels: { confirm: 'Apply my change anyway', cancel: 'Keep theirs' },
        onConfirm: overwrite,
      }),
    explain: (error) => problemOf(error).title,
    nothingToUndo: () => show({ color: 'gray', message: 'Nothing to undo.' }),
    busy: () =>
      show({ color: 'gray', message: 'Another change is still running. Try again when it is complete.' }),
  };
}

function undoneText(findings: readonly Previous[]): ReactNode {
  const [first] = findings;
  if (!first) return 'Nothing was restored.';
  if (findings.length > 1) return <>Undone for {named(findings)}.</>;
  return (
    <>
      Undone. Back to {STATUS_NAMES[first.status]}: {named(findings)}
    </>
  );
}

function named(findings: readonly Pick<Change, 'title'>[]): ReactNode {
  const [first] = findings;
  if (findings.length !== 1) return counted(findings.length, 'finding');
  return (
    <>
      “<bdi>{first && titleOf(first.title)}</bdi>”
    </>
  );
}
