import { notifications } from '@mantine/notifications';
import { createElement } from 'react';
import { Advice } from './Problem.tsx';
import { problemOf } from './problem.ts';

/** Long enough to be read, and for the request id to be copied. */
const FAILED_MS = 20_000;

/** Says in passing that something was done. */
export function tellDone(message: string, title?: string): void {
  notifications.show({ color: 'teal', message, ...(title !== undefined && { title }) });
}

/** Says in passing that something failed; for what has no form or place of its own to say it. */
export function tellFailed(error: unknown): void {
  const { title } = problemOf(error);
  const message = createElement(Advice, { error });
  notifications.show({ color: 'red', title, message, autoClose: FAILED_MS });
}
