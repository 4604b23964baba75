import { notifications } from '@mantine/notifications';
import * as text from '#strings/rules/form.ts';
import { ServiceError } from '../../app/api.ts';
import { problemOf } from '../../components/errors/problem.ts';
import { FAILED_MS } from '../../components/errors/toasts.ts';

/** Shows a toast that a rule was saved, but that the findings that exist were not all changed, and what to do. */
export function showNotApplied(name: string, error: unknown): void {
  const isConflict = error instanceof ServiceError && error.code === 'conflict';
  notifications.show({
    color: 'orange',
    title: isConflict ? text.savedNotApplied(name) : text.savedNotAppliedToAll(name),
    message: isConflict ? text.othersMatch : text.howToContinue(problemOf(error).title),
    autoClose: FAILED_MS,
  });
}
