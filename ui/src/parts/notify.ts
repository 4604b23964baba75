import { notifications } from '@mantine/notifications';
import { problemOf } from './problem.ts';

/** Says in passing that something was done. */
export function tellDone(message: string, title?: string): void {
  notifications.show({ color: 'teal', message, ...(title !== undefined && { title }) });
}

/** Says in passing that something failed; for what has no form or place of its own to say it. */
export function tellFailed(error: unknown): void {
  const { title, advice } = problemOf(error);
  notifications.show({ color: 'red', title, message: advice });
}
