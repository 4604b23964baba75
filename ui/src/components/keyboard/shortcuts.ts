import { useHotkeys, useLocalStorage } from '@mantine/hooks';

/** Whether single-key shortcuts are on. Users of voice input turn them off (WCAG 2.1.4). */
export const useShortcutsOn = () =>
  useLocalStorage({ key: 'shortcuts', defaultValue: true, getInitialValueInEffect: false });

/** Elements that handle keys themselves. */
const TAKES_KEYS =
  'input:not([type="checkbox"], [type="radio"]), textarea, select, [role="dialog"], [role="menu"], [role="listbox"]';

/** Elements that get all keys while they are shown, also before they have the focus. */
const OPEN = '[aria-modal="true"], [role="menu"]';

/** Whether a key belongs to a field, a menu or a dialog. */
export const isTaken = ({ target, defaultPrevented }: KeyboardEvent): boolean =>
  defaultPrevented ||
  document.querySelector(OPEN) !== null ||
  (target instanceof Element && target.closest(TAKES_KEYS) !== null);

/**
 * Single-key shortcuts. They are ignored in fields, menus and dialogs, and if the user has turned them off.
 * @param shortcuts by key, as `useHotkeys` names them
 */
export function useShortcuts(shortcuts: Record<string, (() => void) | undefined>): void {
  const [on] = useShortcutsOn();
  const items = Object.entries(shortcuts).flatMap(([key, run]) => (on && run ? [[key, run] as const] : []));
  useHotkeys(
    items.map(([key, run]) => [
      key,
      (event) => {
        if (isTaken(event)) return;
        event.preventDefault();
        run();
      },
      { preventDefault: false },
    ]),
    [],
  );
}
