import { MultiSelect, Select, SimpleGrid, TagsInput, Textarea } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import * as text from '#strings/rules/form.ts';
import { SEVERITIES } from '../../app/search.ts';
import { useOrg } from '../../app/session.ts';
import { DaysInput } from '../../components/forms/DaysInput.tsx';
import { SectionCard } from '../../components/SectionCard.tsx';
import { SEVERITY_NAMES, STATUS_NAMES } from '../../findings/Severity.tsx';
import { membersQuery } from '../../members/queries.ts';
import { projectsQuery } from '../../projects/queries.ts';
import { PERSONA_NAMES } from '../../scans/persona.ts';
import { REASON_NAMES, REASONS } from '../../triage/texts.ts';
import { ACCEPT_DAYS, type Condition, needsReason, type RuleValues } from '../values.ts';

/** The conditions of a rule. */
export function ConditionFields({ form }: { form: UseFormReturnType<RuleValues> }) {
  const projects = useQuery(projectsQuery(useOrg())).data ?? [];
  const { values } = form;
  const field = (name: Condition, example: string) => ({
    placeholder: values[name].length === 0 ? example : undefined,
    ...form.getInputProps(name),
  });
  const typed = { splitChars: [','], acceptValueOnBlur: true };
  return (
    <SectionCard gap="sm" title={text.conditions} description={text.howConditionsWork}>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <MultiSelect
          label={text.project}
          data={projects.map(({ id, name }) => ({ value: id, label: name }))}
          searchable
          selectFirstOptionOnChange
          {...field('project_id', text.any)}
        />
        <MultiSelect
          label={text.severity}
          data={options(SEVERITY_NAMES, SEVERITIES)}
          {...field('severity', text.any)}
        />
        <TagsInput
          label={text.title}
          description={text.titlePattern}
          {...typed}
          {...field('title', text.titleExample)}
        />
        <TagsInput
          label={text.file}
          description={text.filePattern}
          {...typed}
          {...field('path', text.fileExample)}
        />
        <TagsInput label={text.scanner} {...typed} {...field('source', text.scannerExample)} />
        <TagsInput label={text.scannerRule} {...typed} {...field('rule_id', text.scannerRuleExample)} />
        <MultiSelect
          label={text.kindOfScan}
          data={options(PERSONA_NAMES, ['sharingan', 'senku', 'killua'])}
          {...field('persona', text.any)}
        />
        <TagsInput label={text.cwe} {...typed} {...field('cwe', text.cweExample)} />
        <TagsInput label={text.cve} {...typed} {...field('cve', text.cveExample)} />
      </SimpleGrid>
    </SectionCard>
  );
}

const STATUSES = ['confirmed', 'false_positive', 'wontfix'] as const;

/** The actions of a rule. */
export function ActionFields({ form }: { form: UseFormReturnType<RuleValues> }) {
  const members = (useQuery(membersQuery(useOrg())).data ?? []).filter(({ pending }) => !pending);
  const { values } = form;
  const { status, reason, assignee_id } = values;
  return (
    <SectionCard gap="sm" title={text.actions} description={text.chooseAction}>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Select
          label={text.status}
          data={options(STATUS_NAMES, STATUSES)}
          placeholder={text.staysOpen}
          clearable
          {...form.getInputProps('status')}
          value={status || null}
          onChange={(next) =>
            form.setValues({
              status: (next ?? '') as RuleValues['status'],
              accept_days: next === 'wontfix' ? ACCEPT_DAYS : '',
            })
          }
        />
        <Select
          label={text.reason}
          data={options(REASON_NAMES, REASONS[needsReason(status) ? status : 'other'])}
          placeholder={text.none}
          disabled={status === ''}
          clearable
          {...form.getInputProps('reason')}
          value={reason || null}
          onChange={(next) => form.setFieldValue('reason', (next ?? '') as RuleValues['reason'])}
        />
        <Select
          label={text.assignee}
          data={members.map(({ user_id, name, email }) => ({
            value: user_id,
            label: text.memberWithEmail(name, email),
          }))}
          placeholder={text.noChange}
          clearable
          searchable
          selectFirstOptionOnChange
          {...form.getInputProps('assignee_id')}
          value={assignee_id || null}
          onChange={(id) => form.setFieldValue('assignee_id', id ?? '')}
        />
        <DaysInput
          label={text.dueAfterFound}
          placeholder={text.noChange}
          clampBehavior="strict"
          {...form.getInputProps('due_days')}
        />
        {status === 'wontfix' && (
          <DaysInput
            label={text.acceptFor}
            description={text.openAgainThen}
            placeholder={text.noEnd}
            clampBehavior="strict"
            {...form.getInputProps('accept_days')}
          />
        )}
      </SimpleGrid>
      {status !== '' && (
        <Textarea
          label={text.note}
          description={text.whereNoteIsShown}
          maxLength={1_000}
          rows={2}
          {...form.getInputProps('note')}
        />
      )}
    </SectionCard>
  );
}

/** Options of a field, with the names of some values. */
const options = <Name extends string>(names: Record<Name, string>, values: readonly Name[]) =>
  values.map((value) => ({ value, label: names[value] }));
