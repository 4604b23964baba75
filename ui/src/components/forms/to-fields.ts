import type { UseFormReturnType } from '@mantine/form';
import { ServiceError } from '../../app/api.ts';

/**
 * Shows the field errors of a response at the fields of a form.
 * @returns the error to show next to the form; undefined if all of it belongs to fields
 */
export function toFields<Values extends object>(form: UseFormReturnType<Values>, error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.details.length === 0) return error;
  const values = form.getValues();
  const [own, others] = [true, false].map((mine) =>
    error.details.filter(({ field }) => Object.hasOwn(values, field) === mine),
  );
  const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
  form.setErrors(Object.fromEntries((own ?? []).map(({ field, message }) => [field, sentence(message)])));
  return others?.length === 0 ? undefined : error;
}
