import { useHotkeys } from '@mantine/hooks';
import type { KeyboardEvent } from 'react';
import { isTaken, useShortcuts } from '../../components/keyboard/shortcuts.ts';
import { triageShortcuts } from '../../triage/shortcuts.ts';
import type { UserStatus } from '../../triage/statuses.ts';

interface GridKeys {
  /** The row that keys act on; undefined before somebody has chosen one. */
  active: number | undefined;
  count: number;
  /** How many rows are in view. */
  visible: number;
  mayTriage: boolean;
  /** Goes to a row, or to what is in view where none was chosen. */
  go(index: number | undefined): void;
  open(index: number): void;
  select(index: number, range: boolean): void;
  setStatus(status: UserStatus): void;
  undo(): void;
  clear(): void;
}

/**
 * What keys do in the list. Single letters work wherever the focus is, and can be switched off; the others belong to the
 * focused row.
 * @returns the handler of the grid
 */
export function useGridKeys(grid: GridKeys) {
  const { active, count, visible, mayTriage, go, open, select } = grid;
  const step = (by: number) =>
    go(active === undefined ? undefined : Math.min(count - 1, Math.max(0, active + by)));
  const onActive = (run: (index: number) => void) => () =>
    active === undefined ? go(undefined) : run(active);

  useShortcuts({
    j: () => step(1),
    k: () => step(-1),
    o: onActive(open),
    ...(mayTriage && {
      x: onActive((index) => select(index, false)),
      'shift+x': onActive((index) => select(index, true)),
      ...triageShortcuts(grid),
    }),
  });

  useHotkeys([['Escape', (event) => isTaken(event) || grid.clear(), { preventDefault: false }]], []);

  return (event: KeyboardEvent<HTMLElement>) => {
    const { target, currentTarget, key } = event;
    // What happens in menus comes by here, too.
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
      ' ': own && mayTriage && onActive((index) => select(index, event.shiftKey)),
    };
    const run = act[key];
    if (!run) return;
    event.preventDefault();
    run();
  };
}
