import { type ComponentProps, createElement, type MouseEvent } from 'react';

interface Props extends ComponentProps<'button'> {
  'data-loading'?: boolean;
}

/** Keeps the press from the form and from the menu or dialog that the button would open. */
const ignore = (event: MouseEvent) => {
  event.preventDefault();
  event.stopPropagation();
};

/**
 * The element of Mantine's buttons. Mantine disables a button while it loads, and a disabled element loses the focus.
 * This one keeps the focus and ignores presses.
 */
export function BusyButton({ type = 'button', disabled, ...props }: Props) {
  // biome-ignore lint/a11y/useButtonType: it is one of the three types, submit in forms
  return createElement('button', {
    ...props,
    type,
    ...(props['data-loading'] ? { 'aria-disabled': true, onClick: ignore } : { disabled }),
  });
}
