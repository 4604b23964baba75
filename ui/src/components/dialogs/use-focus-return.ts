import { useEffect, useState } from 'react';

/** After Mantine, which waits for 10 ms. It returns the focus only if the dialog was rendered before it was opened. */
const AFTER_MS = 20;

/**
 * The element that opens a dialog now. For an item of a menu it is the button of the menu, because the items are gone when the
 * dialog closes.
 */
export function openerNow(): HTMLElement | undefined {
  const active = document.activeElement;
  const button = active?.closest('[role="menu"]')?.getAttribute('aria-labelledby');
  const opener = button ? document.getElementById(button) : active;
  return opener instanceof HTMLElement && opener !== document.body ? opener : undefined;
}

/** Moves the focus from a dialog that closes to its opener, unless something else gets the focus. */
export function returnFocus(opener: HTMLElement | undefined): void {
  const before = document.activeElement;
  setTimeout(() => {
    const { activeElement: now, body } = document;
    if (now === null || now === body || now === before) opener?.focus({ preventScroll: true });
  }, AFTER_MS);
}

/** Moves the focus back to the opener of a dialog when the dialog closes. */
export function useFocusReturn(opened: boolean): void {
  const [last, setLast] = useState<{ opened: boolean; opener?: HTMLElement | undefined }>({ opened: false });
  // Before the dialog and the end of a menu move the focus.
  if (opened !== last.opened) setLast({ opened, opener: opened ? openerNow() : last.opener });
  useEffect(() => {
    if (!last.opened && last.opener) returnFocus(last.opener);
  }, [last]);
}
