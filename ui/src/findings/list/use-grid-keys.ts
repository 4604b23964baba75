import { useHotkeys } from '@mantine/hooks';
import type { KeyboardEvent } from 'react';
import * as text from '#strings/findings/list.tsx';
import type { ShortcutList } from '../../components/keyboard/ShortcutHelp.tsx';
import { isTaken, useShortcuts } from '../../components/keyboard/shortcuts.ts';
import { TRIAGE_SHORTCUTS, triageShortcuts } from '../../triage/shortcuts.ts';
import type { UserStatus } from '../../triage/statuses.ts';

interface GridKeys {
  /** The active row, on which keys act; undefined before the user has chosen one, or when it is out of view. */
  activeNow(): number | undefined;
  count: number;
  /** The number of visible rows. */
  visible: number;
  mayTriage: boolean;
  /** Moves to a row; undefined moves to the first visible one. */
  go(index: number | undefined): void;
  open(index: number): void;
  /** Opens or closes the preview. */
  preview(index: number): void;
  select(index: number, range: boolean): void;
  setStatus(status: UserStatus): void;
  /** Opens the form. */
  decide(): void;
  undo(): void;
  /** Closes the preview, or clears the selection. */
  leave(): void;
}

/**
 * The keys of the list. Single-key shortcuts work wherever the focus is. The other keys act on the focused row.
 * @returns the handler of the grid
 */
export function useGridKeys(grid: GridKeys) {
  const { activeNow, count, visible, mayTriage, go, open, select, preview } = grid;
  const step = (by: number) => {
    const active = activeNow();
    go(active === undefined ? undefined : Math.min(count - 1, Math.max(0, active + by)));
  };
  const onActive = (run: (index: number) => void) => () => {
    const active = activeNow();
    if (active === undefined) go(undefined);
    else run(active);
  };

  useShortcuts({
    j: () => step(1),
    k: () => step(-1),
    o: onActive(open),
    ...(mayTriage && {
      x: onActive((index) => select(index, false)),
      'shift+x': onActive((index) => select(index, true)),
      ...triageShortcuts(grid),
      e: () => grid.decide(),
    }),
  });

  useHotkeys([['Escape', (event) => isTaken(event) || grid.leave(), { preventDefault: false }]], []);

  return (event: KeyboardEvent<HTMLElement>) => {
    const { target, currentTarget, key } = event;
    // Events of menus also arrive here.
    if (!(target instanceof Element) || !currentTarget.contains(target)) return;
    if (event.ctrlKey || event.metaKey || event.altKey || !target.closest('[data-index]')) return;
    const own = target.matches('[data-index]');
    const act: Record<string, (() => void) | false> = {
      ArrowDown: () => step(1),
      ArrowUp: () => step(-1),
      PageDown: () => step(visible),
      PageUp: () => step(-visible),
      Home: () => go(0),
      End: () => go(count - 1),
      Enter: own && onActive(open),
      ' ':
        own && (event.shiftKey ? mayTriage && onActive((index) => select(index, false)) : onActive(preview)),
    };
    const run = act[key];
    if (!run) return;
    event.preventDefault();
    run();
  };
}

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
