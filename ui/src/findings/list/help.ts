import type { ShortcutList } from '../../components/keyboard/ShortcutHelp.tsx';
import { TRIAGE_SHORTCUTS } from '../../triage/shortcuts.ts';

const LOOKING: ShortcutList = [
  [['j', '↓'], 'Next finding'],
  [['k', '↑'], 'Previous finding'],
  [['Space'], 'Preview the finding, or close the preview'],
  [['o', 'Enter'], 'Open the finding'],
];
const DECIDING: ShortcutList = [
  [['x', 'Shift + Space'], 'Select or deselect the finding'],
  [['Shift + x'], 'Select all findings from the last selected one to this one'],
  ...TRIAGE_SHORTCUTS,
  [['e'], 'Edit with reason, note, assignee or date'],
  [['a'], 'Assign the previewed finding to me'],
  [['Esc'], 'Close the preview, or clear the selection'],
];
const LOOKING_AT_GROUPS: ShortcutList = [
  [['j'], 'Next group'],
  [['k'], 'Previous group'],
  [['o', 'Enter'], 'Open or close the group'],
];
const DECIDING_GROUPS: ShortcutList = [
  ...TRIAGE_SHORTCUTS,
  [['e'], 'Edit all findings of the group with reason, note, assignee or date'],
];
const LIST_ONLY: ShortcutList = [
  [['n'], 'Show new findings'],
  [['d'], 'Compact or comfortable rows'],
];
const ALWAYS: ShortcutList = [
  [['v'], 'Save the list as a view'],
  [['/'], 'Search'],
  [['?'], 'Show this help'],
];

/** The keys of the list, for the help. */
export function helpOf({ isGrouped, mayTriage }: { isGrouped: boolean; mayTriage: boolean }): ShortcutList {
  const deciding = isGrouped ? DECIDING_GROUPS : DECIDING;
  return [
    ...(isGrouped ? LOOKING_AT_GROUPS : LOOKING),
    ...(mayTriage ? deciding : []),
    ...(isGrouped ? [] : LIST_ONLY),
    ...ALWAYS,
  ];
}
