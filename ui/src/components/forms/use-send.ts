import type { FormErrors, UseFormReturnType } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { ServiceError } from '../../app/api.ts';
import { focusFirstError } from './first-error.ts';

interface Options<Values, Result> {
  send(values: Values): Promise<Result>;
  onSent?(result: Result, values: Values): unknown;
  /** The errors of fields for an error of the service that names none. */
  errorsOf?(error: ServiceError): FormErrors | undefined;
}

/** Sends the values of a form. Errors of the service are shown at its fields, others are its `problem`. The first field with an error takes the focus. */
export function useSend<Values extends object, Result>(
  form: UseFormReturnType<Values>,
  { send, onSent, errorsOf }: Options<Values, Result>,
) {
  const [problem, setProblem] = useState<unknown>();
  /** The element of the form, if its submission sends the values. */
  const sent = useRef<HTMLFormElement>(undefined);
  const sending = useMutation({
    mutationFn: (values: Values) => send(values),
    onMutate: () => setProblem(undefined),
    onSuccess: (result, values) => onSent?.(result, values),
    onError(error) {
      const errors = error instanceof ServiceError ? errorsOf?.(error) : undefined;
      if (errors) form.setErrors(errors);
      else setProblem(toFields(form, error));
      focusFirstError(sent.current);
    },
  });
  const submit = form.onSubmit(
    (values, event) => {
      sent.current = event?.currentTarget;
      sending.mutate(values);
    },
    (_errors, _values, event) => focusFirstError(event?.currentTarget),
  );
  return { ...sending, problem, submit };
}

/**
 * Shows the field errors of a response at the fields of a form.
 * @returns the error to show next to the form; undefined if all of it belongs to fields
 */
function toFields<Values extends object>(form: UseFormReturnType<Values>, error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.details.length === 0) return error;
  const values = form.getValues();
  // An error about one of several values, such as `tracked_refs.3`, is shown at the field that has them.
  const details = error.details.map(({ field, message }) => ({ field: field.split('.', 1).join(), message }));
  const [own, others] = [true, false].map((mine) =>
    details.filter(({ field }) => Object.hasOwn(values, field) === mine),
  );
  const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
  form.setErrors(Object.fromEntries((own ?? []).map(({ field, message }) => [field, sentence(message)])));
  return others?.length === 0 ? undefined : error;
}
