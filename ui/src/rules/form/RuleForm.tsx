import { Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useForm } from '@mantine/form';
import { useDebouncedValue } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type KeyboardEvent, useRef, useState } from 'react';
import * as text from '#strings/rules/form.ts';
import { ServiceError } from '../../app/api.ts';
import { useOrg } from '../../app/session.ts';
import { Problem } from '../../components/errors/Problem.tsx';
import { problemOf } from '../../components/errors/problem.ts';
import { FAILED_MS, showSuccess } from '../../components/errors/toasts.ts';
import { focusFirstError } from '../../components/forms/first-error.ts';
import { useLeaveQuestion } from '../../components/forms/use-leave-question.tsx';
import { OrgButton } from '../../components/links.tsx';
import { SectionCard } from '../../components/SectionCard.tsx';
import { FindingItems } from '../../findings/FindingItems.tsx';
import { projectsQuery } from '../../projects/queries.ts';
import { refreshFindings } from '../../triage/cache.ts';
import { applyRule } from '../apply.ts';
import { previewQuery, type Rule, rulesQuery } from '../queries.ts';
import { actionsOf, conditionsOf, fieldOf, needsReason, type RuleValues } from '../values.ts';
import { ActionFields, ConditionFields } from './Fields.tsx';

interface Props {
  /** The rule that is edited; undefined for a new one. */
  rule?: Rule;
  initial: RuleValues;
  /** Called after the rule was saved. */
  onSaved(): void;
}

/** Creates or edits a rule, and shows the findings that it would change now. */
export function RuleForm({ rule, initial, onSaved }: Props) {
  const [applies, setApplies] = useState(false);
  const form = useForm<RuleValues>({
    initialValues: initial,
    validate: {
      name: (name) => (name.trim() === '' ? text.enterName : null),
      reason: (reason, { status }) => (reason === '' && needsReason(status) ? text.chooseReason : null),
    },
  });
  const { values } = form;
  const hasConditions = conditionsOf(values) !== undefined;
  const hasActions = actionsOf(values) !== undefined;
  const isSaved = useRef(false);
  const { save, isSaving, problem } = useSaveRule(form, rule, () => {
    isSaved.current = true;
    onSaved();
  });
  useLeaveQuestion({
    hasUnsaved: () => !isSaved.current && form.isDirty(),
    loss: () => text.ruleIsLost,
  });
  const preview = useRulePreview(values);
  const { isWaiting, total } = preview;
  const offersToApply =
    hasConditions && hasActions && (Boolean(preview.query.data?.total) || (applies && isWaiting));
  /** The user has agreed to change findings whose number is not known yet. */
  const waits = applies && hasConditions && hasActions && isWaiting;

  const submit = form.onSubmit(
    () => {
      if (waits) return;
      if (hasConditions && hasActions) return save(applies && total ? total : undefined);
      if (!hasConditions) form.setFieldError('title', text.giveCondition);
      else form.setFieldError('status', text.chooseAction);
      focusFirstError();
    },
    () => focusFirstError(),
  );
  /** Enter completes a value. Ctrl+Enter submits. */
  const onKeyDown = (event: KeyboardEvent<HTMLFormElement>) => {
    if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return;
    event.preventDefault();
    if (event.ctrlKey || event.metaKey) submit();
  };

  return (
    <form onSubmit={submit} onKeyDown={onKeyDown} noValidate>
      <Stack>
        <SectionCard gap="sm" title={text.name}>
          <TextInput aria-label={text.name} maxLength={100} data-autofocus {...form.getInputProps('name')} />
        </SectionCard>
        <ConditionFields form={form} />
        <ActionFields form={form} />
        <SectionCard gap="sm" title={text.preview}>
          <RulePreview preview={preview} />
        </SectionCard>
        {offersToApply && (
          <Checkbox
            label={total === undefined ? text.alsoChangeMatching : text.alsoChange(total)}
            checked={applies}
            onChange={({ currentTarget }) => setApplies(currentTarget.checked)}
          />
        )}
        {problem !== undefined && <Problem error={problem} />}
        <Group>
          <Button type="submit" loading={isSaving || waits}>
            {rule ? text.save : text.createRule}
          </Button>
          <OrgButton variant="default" to="/o/$org/rules">
            {text.cancel}
          </OrgButton>
        </Group>
      </Stack>
    </form>
  );
}

/** The findings that a rule would change now. */
function RulePreview({ preview: { query, hasConditions, isWaiting } }: { preview: RulePreviewState }) {
  const projects = useQuery(projectsQuery(useOrg())).data;
  const { data, error } = query;
  if (!hasConditions) {
    return (
      <Text size="sm" c="dimmed">
        {text.giveConditionToSee}
      </Text>
    );
  }
  if (error && !isWaiting) return <Problem error={error} onRetry={() => query.refetch()} />;
  if (!data) return <Text size="sm">{text.looking}</Text>;
  const { total, decided } = data;
  const shown = decided?.findings ?? data.findings;
  const found =
    total > 0 ? text.wouldChange(total) : decided ? text.onlyDecided(decided.total) : text.noneMatches;
  return (
    <Stack gap="xs" aria-busy={isWaiting}>
      <Text size="sm" role="status">
        {isWaiting ? text.looking : found}
      </Text>
      {shown.length > 0 && (
        <FindingItems findings={shown} projects={new Map(projects?.map(({ id, name }) => [id, name]))} />
      )}
      {(decided?.total ?? total) > shown.length && (
        <Text size="sm" c="dimmed">
          {text.newestShown(shown.length)}
        </Text>
      )}
    </Stack>
  );
}

/** A pause in typing after which the preview is read. */
const TYPING_MS = 400;

const bodyOf = (values: RuleValues) => {
  const actions = actionsOf(values);
  return { conditions: conditionsOf(values), ...(actions && { actions }) };
};

type RulePreviewState = ReturnType<typeof useRulePreview>;

/** The findings that a rule with these values would change now. */
function useRulePreview(values: RuleValues) {
  const [settled] = useDebouncedValue(values, TYPING_MS);
  const body = bodyOf(settled);
  const { conditions } = body;
  const query = useQuery({
    ...previewQuery(useOrg(), { ...body, conditions: conditions ?? {} }),
    enabled: conditions !== undefined,
  });
  const isSettled = JSON.stringify(body) === JSON.stringify(bodyOf(values));
  /** Whether the preview is being read: until then, `data` may be about earlier values. */
  const isWaiting = conditions !== undefined && (!isSettled || query.isFetching || query.isPlaceholderData);
  return {
    query,
    hasConditions: conditions !== undefined,
    isWaiting,
    /** How many findings the rule would change; undefined while this is not known. */
    total: isWaiting ? undefined : query.data?.total,
  };
}

/**
 * Saves a rule, and applies it to findings that exist if the user has agreed to their number.
 * @param rule the rule that is edited; undefined for a new one
 * @param onSaved called after the rule was saved, also if it could not be applied
 */
function useSaveRule(form: UseFormReturnType<RuleValues>, rule: Rule | undefined, onSaved: () => void) {
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
      focusFirstError();
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
