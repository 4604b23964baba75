import {
  Button,
  Card,
  Checkbox,
  Group,
  MultiSelect,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  TagsInput,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { ServiceError } from '../app/api.ts';
import { SEVERITIES } from '../app/search.ts';
import { useOrg } from '../app/session.ts';
import { Problem } from '../components/errors/Problem.tsx';
import { showSuccess } from '../components/errors/toasts.ts';
import { LinkButton } from '../components/links.tsx';
import { counted } from '../components/numbers.ts';
import { SEVERITY_NAMES, STATUS_NAMES } from '../findings/Severity.tsx';
import { membersQuery } from '../members/queries.ts';
import { projectsQuery } from '../projects/queries.ts';
import { PERSONA_NAMES } from '../scans/persona.ts';
import { refreshFindings } from '../triage/cache.ts';
import { REASON_NAMES, REASONS } from '../triage/texts.ts';
import { applyRule } from './apply.ts';
import { type Rule, rulesQuery } from './queries.ts';
import { RulePreview } from './RulePreview.tsx';
import { showNotApplied } from './show-not-applied.ts';
import { useRulePreview } from './use-rule-preview.ts';
import { actionsOf, conditionsOf, fieldOf, type RuleValues } from './values.ts';

interface Props {
  /** The rule that is edited; undefined for a new one. */
  rule?: Rule;
  initial: RuleValues;
  /** Called after the rule was saved. */
  onSaved(): void;
}

const STATUSES = ['confirmed', 'false_positive', 'wontfix'] as const;

const options = <Name extends string>(names: Record<Name, string>, values: readonly Name[]) =>
  values.map((value) => ({ value, label: names[value] }));

/** Creates or edits a rule, and shows the findings that it would change now. */
export function RuleForm({ rule, initial, onSaved }: Props) {
  const org = useOrg();
  const queries = useQueryClient();
  const projects = useQuery(projectsQuery(org)).data ?? [];
  const members = (useQuery(membersQuery(org)).data ?? []).filter(({ pending }) => !pending);
  const [problem, setProblem] = useState<unknown>();
  const [applies, setApplies] = useState(false);
  const form = useForm<RuleValues>({
    initialValues: initial,
    validate: {
      name: (name) => (name.trim() === '' ? 'Enter a name.' : null),
      reason: (reason, { status }) =>
        reason === '' && (status === 'false_positive' || status === 'wontfix') ? 'Choose a reason.' : null,
    },
  });
  const { values } = form;
  const preview = useRulePreview(values);
  const canApply = conditionsOf(values) !== undefined && actionsOf(values) !== undefined;
  /** How many findings the user has agreed to change is not known yet. */
  const waits = applies && canApply && preview.isWaiting;

  const offersToApply = canApply && (Boolean(preview.query.data?.total) || (applies && preview.isWaiting));

  const save = useMutation({
    async mutationFn(expected: number | undefined) {
      const body = {
        name: values.name.trim(),
        conditions: conditionsOf(values) ?? {},
        actions: actionsOf(values) ?? {},
      };
      const saved = rule
        ? await org.api.patch('/rules/{id}', { params: { path: { id: rule.id } }, body })
        : await org.api.post('/rules', { body });
      await queries.invalidateQueries({ queryKey: rulesQuery(org).queryKey });
      return { ...saved.result, expected };
    },
    async onSuccess({ id, name, expected }) {
      if (expected === undefined) showSuccess(`“${name}” is saved.`);
      else await applySaved(id, name, expected);
      onSaved();
    },
    onError(error) {
      const details = error instanceof ServiceError ? error.details : [];
      const own = details.filter(({ field }) => Object.hasOwn(values, fieldOf(field)));
      form.setErrors(Object.fromEntries(own.map(({ field, message }) => [fieldOf(field), `It ${message}.`])));
      setProblem(own.length === details.length && own.length > 0 ? undefined : error);
    },
  });
  /** The rule is saved: an error must not keep the form open, where a second try would save it again. */
  async function applySaved(id: string, name: string, expected: number): Promise<void> {
    try {
      const changed = await applyRule(org, id, expected);
      showSuccess(`“${name}” is saved. ${counted(changed, 'finding')} changed.`);
    } catch (error) {
      showNotApplied(name, error);
    }
    void refreshFindings(queries, org);
  }

  const submit = form.onSubmit(() => {
    if (waits) return;
    setProblem(undefined);
    if (!conditionsOf(values)) return form.setFieldError('title', 'Give at least one condition.');
    if (!actionsOf(values))
      return form.setFieldError('status', 'Choose a status, an assignee or a due date.');
    save.mutate(applies && preview.total ? preview.total : undefined);
  });
  /** Enter completes a value. Ctrl+Enter submits. */
  const onKeyDown = (event: KeyboardEvent<HTMLFormElement>) => {
    if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return;
    event.preventDefault();
    if (event.ctrlKey || event.metaKey) submit();
  };
  const text = (
    name: 'source' | 'title' | 'path' | 'cwe' | 'cve',
    label: string,
    example: string,
    description?: string,
  ) => (
    <TagsInput
      label={label}
      description={description}
      placeholder={values[name].length === 0 ? example : undefined}
      splitChars={[',']}
      acceptValueOnBlur
      {...form.getInputProps(name)}
    />
  );

  return (
    <form onSubmit={submit} onKeyDown={onKeyDown} noValidate>
      <Stack>
        <Section title="Name">
          <TextInput aria-label="Name" maxLength={100} data-autofocus {...form.getInputProps('name')} />
        </Section>
        <Section
          title="Conditions"
          description="A new finding must meet every condition. If a condition has several values, one must match."
        >
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <MultiSelect
              label="Project"
              data={projects.map(({ id, name }) => ({ value: id, label: name }))}
              placeholder={values.project_id.length === 0 ? 'Any' : undefined}
              searchable
              selectFirstOptionOnChange
              {...form.getInputProps('project_id')}
            />
            <MultiSelect
              label="Severity"
              data={options(SEVERITY_NAMES, SEVERITIES)}
              placeholder={values.severity.length === 0 ? 'Any' : undefined}
              {...form.getInputProps('severity')}
            />
            {text('title', 'Title', 'Hard-coded *', '* stands for any text.')}
            {text('path', 'File', 'src/test/**', '* stands for any name, ** also for folders.')}
            {text('source', 'Scanner', 'semgrep')}
            <MultiSelect
              label="Kind of scan"
              data={options(PERSONA_NAMES, ['sharingan', 'senku', 'killua'])}
              placeholder={values.persona.length === 0 ? 'Any' : undefined}
              {...form.getInputProps('persona')}
            />
            {text('cwe', 'CWE', 'CWE-798')}
            {text('cve', 'CVE', 'CVE-2026-12345')}
          </SimpleGrid>
        </Section>
        <Section title="Actions" description="Choose a status, an assignee or a due date.">
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <Select
              label="Status"
              data={options(STATUS_NAMES, STATUSES)}
              placeholder="Stays open"
              clearable
              {...form.getInputProps('status')}
              value={values.status || null}
              onChange={(status) => form.setFieldValue('status', (status ?? '') as RuleValues['status'])}
            />
            <Select
              label="Reason"
              data={options(
                REASON_NAMES,
                REASONS[
                  values.status === 'false_positive' || values.status === 'wontfix' ? values.status : 'other'
                ],
              )}
              placeholder="None"
              disabled={values.status === ''}
              clearable
              {...form.getInputProps('reason')}
              value={values.reason || null}
              onChange={(reason) => form.setFieldValue('reason', (reason ?? '') as RuleValues['reason'])}
            />
            <Select
              label="Assignee"
              data={members.map(({ user_id, name, email }) => ({
                value: user_id,
                label: `${name} (${email})`,
              }))}
              placeholder="No change"
              clearable
              searchable
              selectFirstOptionOnChange
              {...form.getInputProps('assignee_id')}
              value={values.assignee_id || null}
              onChange={(id) => form.setFieldValue('assignee_id', id ?? '')}
            />
            <NumberInput
              label="Due after it is found"
              placeholder="No change"
              suffix=" days"
              min={1}
              max={3650}
              clampBehavior="strict"
              allowDecimal={false}
              {...form.getInputProps('due_days')}
            />
          </SimpleGrid>
          {values.status !== '' && (
            <Textarea
              label="Note"
              description="Shown in the activity of each finding."
              maxLength={1_000}
              rows={2}
              {...form.getInputProps('note')}
            />
          )}
        </Section>
        <Section title="Preview">
          <RulePreview preview={preview} />
        </Section>
        {offersToApply && (
          <Checkbox
            label={
              preview.total === undefined
                ? 'Also change the open findings that match now'
                : `Also change the ${counted(preview.total, 'open finding')} that ${preview.total === 1 ? 'matches' : 'match'} now`
            }
            checked={applies}
            onChange={({ currentTarget }) => setApplies(currentTarget.checked)}
          />
        )}
        {problem !== undefined && <Problem error={problem} />}
        <Group>
          <Button type="submit" loading={save.isPending || waits}>
            {rule ? 'Save' : 'Create rule'}
          </Button>
          <LinkButton variant="default" to="/o/$org/rules" params={{ org: org.slug }}>
            Cancel
          </LinkButton>
        </Group>
      </Stack>
    </form>
  );
}

function Section({
  title,
  description,
  children,
}: {
  title: string;
  description?: string;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <Card withBorder component="section" aria-labelledby={id}>
      <Stack gap="sm">
        <div>
          <Title order={2} fz="md" id={id}>
            {title}
          </Title>
          {description && (
            <Text size="sm" c="dimmed">
              {description}
            </Text>
          )}
        </div>
        {children}
      </Stack>
    </Card>
  );
}
