import { notifications } from '@mantine/notifications';
import { createElement } from 'react';
import { Advice } from './Problem.tsx';
import { problemOf } from './problem.ts';

/** How long a toast is shown. The pointer or the focus on it keeps it longer. */
export const SHOWN_MS = 8_000;

/** Long enough to read the text and to copy the request ID. */
export const FAILED_MS = 20_000;

/** Shows a toast that an action succeeded. */
export function showSuccess(message: string, title?: string): void {
  notifications.show({ color: 'teal', message, ...(title !== undefined && { title }) });
}

/** Shows a toast why an action did nothing. */
export const showNote = (message: string): void => void notifications.show({ color: 'gray', message });

/** Shows a toast that an action failed, for actions without a form. */
export function showError(error: unknown): void {
  const { title } = problemOf(error);
  const message = createElement(Advice, { error });
  notifications.show({ color: 'red', title, message, autoClose: FAILED_MS });
}
