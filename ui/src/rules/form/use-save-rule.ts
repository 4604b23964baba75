import type { UseFormReturnType } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import * as text from '#strings/rules/form.ts';
import { ServiceError } from '../../app/api.ts';
import { useOrg } from '../../app/session.ts';
import { problemOf } from '../../components/errors/problem.ts';
import { FAILED_MS, showSuccess } from '../../components/errors/toasts.ts';
import { refreshFindings } from '../../triage/cache.ts';
import { applyRule } from '../apply.ts';
import { type Rule, rulesQuery } from '../queries.ts';
import { actionsOf, conditionsOf, fieldOf, type RuleValues } from '../values.ts';

/**
 * Saves a rule, and applies it to findings that exist if the user has agreed to their number.
 * @param rule the rule that is edited; undefined for a new one
 * @param onSaved called after the rule was saved, also if it could not be applied
 */
export function useSaveRule(
  form: UseFormReturnType<RuleValues>,
  rule: Rule | undefined,
  onSaved: () => void,
) {
  const org = useOrg();
  const queries = useQueryClient();
  const [problem, setProblem] = useState<unknown>();

  const saving = useMutation({
    async mutationFn({ values, expected }: { values: RuleValues; expected: number | undefined }) {
      const body = {
        name: values.name.trim(),
        conditions: conditionsOf(values) ?? {},
        actions: actionsOf(values) ?? {},
      };
      const saved = rule
        ? await org.api.patch('/rules/{id}', { params: { path: { id: rule.id } }, body })
        : await org.api.post('/rules', { body });
      return { ...saved.result, expected };
    },
    async onSuccess({ id, name, expected }) {
      if (expected === undefined) showSuccess(text.saved(name));
      else await apply(id, name, expected);
      void queries.invalidateQueries({ queryKey: rulesQuery(org).queryKey });
      onSaved();
    },
    onError(error, { values }) {
      const details = error instanceof ServiceError ? error.details : [];
      const own = details.filter(({ field }) => Object.hasOwn(values, fieldOf(field)));
      form.setErrors(
        Object.fromEntries(own.map(({ field, message }) => [fieldOf(field), text.fieldProblem(message)])),
      );
      setProblem(own.length === details.length && own.length > 0 ? undefined : error);
    },
  });
  /** The rule is saved: an error must not keep the form open, where a second try would save it again. */
  async function apply(id: string, name: string, expected: number): Promise<void> {
    try {
      showSuccess(text.savedAndChanged(name, await applyRule(org, id, expected)));
    } catch (error) {
      showNotApplied(name, error);
    }
    void refreshFindings(queries, org);
  }

  return {
    problem,
    isSaving: saving.isPending,
    save(expected: number | undefined) {
      setProblem(undefined);
      saving.mutate({ values: form.values, expected });
    },
  };
}

/** Shows a toast that a rule was saved, but that the findings that exist were not all changed, and what to do. */
function showNotApplied(name: string, error: unknown): void {
  const isConflict = error instanceof ServiceError && error.code === 'conflict';
  notifications.show({
    color: 'orange',
    title: isConflict ? text.savedNotApplied(name) : text.savedNotAppliedToAll(name),
    message: isConflict ? text.othersMatch : text.howToContinue(problemOf(error).title),
    autoClose: FAILED_MS,
  });
}
