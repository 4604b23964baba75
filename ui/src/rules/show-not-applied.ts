import { notifications } from '@mantine/notifications';
import { ServiceError } from '../app/api.ts';
import { problemOf } from '../components/errors/problem.ts';
import { FAILED_MS } from '../components/errors/toasts.ts';

/** Shows a toast that a rule was saved, but that the findings that exist were not all changed, and what to do. */
export function showNotApplied(name: string, error: unknown): void {
  const isConflict = error instanceof ServiceError && error.code === 'conflict';
  notifications.show({
    color: 'orange',
    title: isConflict
      ? `“${name}” is saved, but was not applied`
      : `“${name}” is saved, but was not applied to all findings`,
    message: isConflict
      ? 'Other findings match by now, so none was changed. Choose “Apply to existing findings…” in the menu of the rule.'
      : `${problemOf(error).title}. To continue, choose “Apply to existing findings…” in the menu of the rule.`,
    autoClose: FAILED_MS,
  });
}
