import { NumberInput, Select, SimpleGrid, Textarea } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import * as text from '#strings/rules/form.ts';
import { useOrg } from '../../app/session.ts';
import { STATUS_NAMES } from '../../findings/Severity.tsx';
import { membersQuery } from '../../members/queries.ts';
import { REASON_NAMES, REASONS } from '../../triage/texts.ts';
import { needsReason, type RuleValues } from '../values.ts';
import { options } from './options.ts';
import { Section } from './Section.tsx';

const STATUSES = ['confirmed', 'false_positive', 'wontfix'] as const;
const MAX_DAYS = 3_650;

/** The actions of a rule. */
export function ActionFields({ form }: { form: UseFormReturnType<RuleValues> }) {
  const members = (useQuery(membersQuery(useOrg())).data ?? []).filter(({ pending }) => !pending);
  const { values } = form;
  const { status, reason, assignee_id } = values;
  return (
    <Section title={text.actions} description={text.chooseAction}>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Select
          label={text.status}
          data={options(STATUS_NAMES, STATUSES)}
          placeholder={text.staysOpen}
          clearable
          {...form.getInputProps('status')}
          value={status || null}
          onChange={(next) => form.setFieldValue('status', (next ?? '') as RuleValues['status'])}
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
        <NumberInput
          label={text.dueAfterFound}
          placeholder={text.noChange}
          suffix={text.days}
          min={1}
          max={MAX_DAYS}
          clampBehavior="strict"
          allowDecimal={false}
          {...form.getInputProps('due_days')}
        />
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
    </Section>
  );
}
