import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';
import * as text from '#strings/triage.tsx';
import { openConfirm } from '../components/dialogs/confirm.ts';
import { Advice } from '../components/errors/Problem.tsx';
import { isSignedOut, problemOf } from '../components/errors/problem.ts';
import { FAILED_MS } from '../components/errors/toasts.ts';
import { keyHint } from '../components/keyboard/KeyButton.tsx';
import { statusName } from '../findings/Severity.tsx';
import { titleOf } from '../findings/title.ts';
import type { Change, Decision } from './decision.ts';
import type { Conflict, Previous } from './engine/change-statuses.ts';
import type { Messages } from './engine/model.ts';
import { UNDO_KEY } from './statuses.ts';
import { textOf } from './texts.ts';

/** How long “Undo” is shown. The pointer or the focus on the toast keeps it longer. */
const UNDO_MS = 60_000;

/** Messages as toasts. A new toast replaces the previous one, also that of another page. */
let shown: string | undefined;

/** @param renderConflicts the content of the dialog about findings that someone else has changed */
export function createMessages(renderConflicts: (conflicts: readonly Conflict[]) => ReactNode): Messages {
  const show = (data: Parameters<typeof notifications.show>[0]) => {
    if (shown) notifications.hide(shown);
    shown = notifications.show(data);
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
            {text.changed(textOf(decision, decision.assignee), findings)}
          </Text>
          {undo && (
            <Button
              size="compact-sm"
              variant="light"
              onClick={undo}
              flex="none"
              rightSection={keyHint(UNDO_KEY)}
            >
              {text.undo}
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
      showChanged(change, text.changedMatching(done, kept, gone), done > 0 ? undo : undefined, 4);
    },
    otherCount: (change, count, proceed) => {
      if (count === 0) {
        return show({ color: 'gray', message: text.noneMatchesAnyMore });
      }
      openConfirm({
        title: text.othersMatch(count, change.total),
        children: text.whyOthersMatch,
        confirm: text.changeAll(count),
        onConfirm: proceed,
      });
    },
    undone: (findings, kept) =>
      show({
        color: kept > 0 ? 'yellow' : 'teal',
        message: (
          <Text size="sm" lineClamp={3}>
            {kept > 0 ? text.withKept(undoneText(findings), kept) : undoneText(findings)}
          </Text>
        ),
        ...(kept > 0 && { autoClose: FAILED_MS }),
      }),
    failed({ why }, error, retry) {
      show({
        color: 'red',
        title: error ? text.notChangedBecause(problemOf(error).title) : text.notChanged,
        message: error ? (
          <Advice
            error={error}
            {...(retry && {
              onRetry: () => {
                if (shown) notifications.hide(shown);
                retry();
              },
            })}
          />
        ) : (
          why
        ),
        // Signing in again may take longer.
        autoClose: !isSignedOut(error) && FAILED_MS,
      });
    },
    conflicts: (conflicts, overwrite) =>
      openConfirm({
        title: text.changedByOthers(conflicts.length),
        children: renderConflicts(conflicts),
        confirm: text.applyAnyway,
        cancel: text.keepTheirs,
        onConfirm: overwrite,
      }),
    explain: (error) => problemOf(error).title,
    nothingToUndo: () => show({ color: 'gray', message: text.nothingToUndo }),
    busy: () => show({ color: 'gray', message: text.anotherIsRunning }),
  };
}

function undoneText(findings: readonly Previous[]): ReactNode {
  const [first] = findings;
  if (!first) return text.nothingRestored;
  if (findings.length > 1) return text.undoneFor(findings.length);
  return text.undone(statusName(first.regressed ? 'regressed' : first.status), named(findings));
}

function named(findings: readonly Pick<Change, 'title'>[]): ReactNode {
  const [first] = findings;
  if (!first || findings.length > 1) return text.findings(findings.length);
  return text.finding(titleOf(first.title));
}
