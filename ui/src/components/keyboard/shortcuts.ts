import { useHotkeys, useLocalStorage } from '@mantine/hooks';

/** Whether single keys are shortcuts: who dictates, or types by accident, switches them off (WCAG 2.1.4). */
export const useShortcutsOn = () =>
  useLocalStorage({ key: 'shortcuts', defaultValue: true, getInitialValueInEffect: false });

/** Where keys have a meaning of their own. */
const TAKES_KEYS =
  'input:not([type="checkbox"], [type="radio"]), textarea, select, [role="dialog"], [role="menu"], [role="listbox"]';

/** Whether a key was meant for a field, a menu, or a dialog, which has all keys wherever the focus is. */
export const isTaken = ({ target, defaultPrevented }: KeyboardEvent): boolean =>
  defaultPrevented ||
  document.querySelector('[aria-modal="true"]') !== null ||
  (target instanceof Element && target.closest(TAKES_KEYS) !== null);

/**
 * Single keys that do something, unless they are switched off, typed into a field, or meant for a dialog or a menu.
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
