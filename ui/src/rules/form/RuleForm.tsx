import { Button, Checkbox, Group, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type KeyboardEvent, useState } from 'react';
import * as text from '#strings/rules/form.ts';
import { Problem } from '../../components/errors/Problem.tsx';
import { OrgButton } from '../../components/links.tsx';
import { SectionCard } from '../../components/SectionCard.tsx';
import type { Rule } from '../queries.ts';
import { actionsOf, conditionsOf, needsReason, type RuleValues } from '../values.ts';
import { ActionFields, ConditionFields } from './Fields.tsx';
import { RulePreview, useRulePreview } from './RulePreview.tsx';
import { useSaveRule } from './use-save-rule.ts';

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
  const { save, isSaving, problem } = useSaveRule(form, rule, onSaved);
  const preview = useRulePreview(values);
  const { isWaiting, total } = preview;
  const offersToApply =
    hasConditions && hasActions && (Boolean(preview.query.data?.total) || (applies && isWaiting));
  /** The user has agreed to change findings whose number is not known yet. */
  const waits = applies && hasConditions && hasActions && isWaiting;

  const submit = form.onSubmit(() => {
    if (waits) return;
    if (!hasConditions) return form.setFieldError('title', text.giveCondition);
    if (!hasActions) return form.setFieldError('status', text.chooseAction);
    save(applies && total ? total : undefined);
  });
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
