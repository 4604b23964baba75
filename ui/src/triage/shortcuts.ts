import * as text from '#strings/triage.tsx';
import type { ShortcutList } from '../components/keyboard/ShortcutHelp.tsx';
import { STATUS_NAMES } from '../findings/Severity.tsx';
import { STATUS_KEYS, UNDO_KEY, USER_STATUSES, type UserStatus } from './statuses.ts';

/** The keys of triage, for `useShortcuts`. */
export const triageShortcuts = ({
  setStatus,
  undo,
}: {
  setStatus(status: UserStatus): void;
  undo(): void;
}): Record<string, () => void> => ({
  ...Object.fromEntries(USER_STATUSES.map((status) => [STATUS_KEYS[status], () => setStatus(status)])),
  [UNDO_KEY]: undo,
});

/** The keys of triage, for the help. */
export const TRIAGE_SHORTCUTS: ShortcutList = [
  ...USER_STATUSES.map((status) => [[STATUS_KEYS[status]], text.setStatusTo(STATUS_NAMES[status])] as const),
  [[UNDO_KEY], text.undoLastChange],
];
