import * as text from '#strings/findings/list.tsx';
import type { ShortcutList } from '../../components/keyboard/ShortcutHelp.tsx';
import { TRIAGE_SHORTCUTS } from '../../triage/shortcuts.ts';

const LOOKING: ShortcutList = [
  [['j', '↓'], text.nextFinding],
  [['k', '↑'], text.previousFinding],
  [[text.keys.space], text.previewFinding],
  [['o', text.keys.enter], text.openFinding],
];
const DECIDING: ShortcutList = [
  [['x', text.keys.shiftSpace], text.selectFinding],
  [[text.keys.shiftX], text.selectRange],
  ...TRIAGE_SHORTCUTS,
  [['e'], text.editFinding],
  [['a'], text.assignPreviewed],
  [[text.keys.escape], text.closeOrClear],
];
const LOOKING_AT_GROUPS: ShortcutList = [
  [['j'], text.nextGroup],
  [['k'], text.previousGroup],
  [['o', text.keys.enter], text.openGroup],
];
const DECIDING_GROUPS: ShortcutList = [...TRIAGE_SHORTCUTS, [['e'], text.editGroup]];
const LIST_ONLY: ShortcutList = [
  [['n'], text.showNew],
  [['d'], text.changeDensity],
];
const ALWAYS: ShortcutList = [
  [['v'], text.saveAsView],
  [['/'], text.search],
  [['?'], text.showHelp],
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
