import { Button, Card, Group, List, NumberInput, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import * as text from '#strings/retention.ts';
import type { Schemas } from '../app/api.ts';
import { rolesAllowed } from '../app/roles.ts';
import { type OrgSession, useOrg } from '../app/session.ts';
import { openConfirm } from '../components/dialogs/confirm.ts';
import { Problem } from '../components/errors/Problem.tsx';
import { showSuccess } from '../components/errors/toasts.ts';
import { toFields } from '../components/forms/to-fields.ts';
import { Loaded } from '../components/Loaded.tsx';

/** Days by kind; null for ever. */
type Retention = Schemas['Retention'];

/** How long the organization keeps findings and scans. */
const retentionQuery = ({ slug, api }: OrgSession) =>
  queryOptions({
    queryKey: ['org', slug, 'retention'],
    queryFn: async ({ signal }): Promise<Retention> =>
      (await api.get('/settings/retention', { signal })).result,
  });

/** How long the organization keeps findings and scans. */
export function OrgRetention() {
  const org = useOrg();
  const retention = useQuery(retentionQuery(org));
  return (
    <Loaded query={retention}>
      {(days) => (org.may('updateRetention') ? <RetentionForm days={days} /> : <Shown days={days} />)}
    </Loaded>
  );
}

const daysText = (days: number | null): string => (days === null ? text.keptForEver : text.days(days));

/** For members who may not change it. */
function Shown({ days }: { days: Retention }) {
  return (
    <Card withBorder component="section" aria-labelledby="retention">
      <Stack gap={6}>
        <Title order={2} fz="md" id="retention">
          {text.retention}
        </Title>
        <Text size="sm">{text.purpose}</Text>
        <List size="sm">
          <List.Item>{text.daysOf(text.resolvedFindings, daysText(days.resolved_findings))}</List.Item>
          <List.Item>{text.daysOf(text.scans, daysText(days.scans))}</List.Item>
        </List>
        <Text size="xs" c="dimmed">
          {text.whoMayChange(rolesAllowed('updateRetention'))}
        </Text>
      </Stack>
    </Card>
  );
}

const MAX_DAYS = 3_650;

/** Days as entered: the field is empty or contains text. */
type Entered = Record<keyof Retention, number | string>;

const toValues = (days: Retention): Entered => ({
  resolved_findings: days.resolved_findings ?? '',
  scans: days.scans ?? '',
});

const toDays = (values: Entered): Retention => ({
  resolved_findings: values.resolved_findings === '' ? null : Number(values.resolved_findings),
  scans: values.scans === '' ? null : Number(values.scans),
});

const problemOf = (days: number | string): string | null =>
  days === '' || (Number.isInteger(days) && Number(days) >= 1 && Number(days) <= MAX_DAYS)
    ? null
    : text.enterDays(MAX_DAYS);

/** Sets how long findings and scans are kept. Asks before it removes any. */
function RetentionForm({ days }: { days: Retention }) {
  const org = useOrg();
  const queries = useQueryClient();
  const [problem, setProblem] = useState<unknown>();
  const form = useForm<Entered>({
    initialValues: toValues(days),
    validate: { resolved_findings: problemOf, scans: problemOf },
  });
  const onError = (error: unknown) => setProblem(toFields(form, error));
  const save = useMutation({
    mutationFn: async (body: Retention) => (await org.api.put('/settings/retention', { body })).result,
    onSuccess(stored) {
      queries.setQueryData(retentionQuery(org).queryKey, stored);
      form.setInitialValues(toValues(stored));
      form.reset();
      showSuccess(text.saved);
    },
    onError,
  });
  const ask = useMutation({
    mutationFn: async (body: Retention) => {
      const { result } = await org.api.post('/settings/retention/preview', { body });
      const { resolved_findings: findings, scans } = result;
      if (findings + scans === 0) return save.mutate(body);
      openConfirm({
        title: text.removeExpired,
        children: <Text size="sm">{text.willBeRemoved(findings, scans)}</Text>,
        confirm: text.saveAndRemove,
        color: 'red',
        onConfirm: () => save.mutate(body),
      });
    },
    onError,
  });
  const field = (kind: keyof Retention, label: string) => (
    <NumberInput
      label={label}
      placeholder={text.keptForEver}
      suffix={text.daysSuffix}
      min={1}
      max={MAX_DAYS}
      clampBehavior="none"
      allowDecimal={false}
      {...form.getInputProps(kind)}
    />
  );
  return (
    <Card withBorder component="section" aria-labelledby="retention">
      <form
        noValidate
        onSubmit={form.onSubmit((values) => {
          if (!form.isDirty() || ask.isPending || save.isPending) return;
          setProblem(undefined);
          ask.mutate(toDays(values));
        })}
      >
        <Stack>
          <div>
            <Title order={2} fz="md" id="retention">
              {text.retention}
            </Title>
            <Text size="sm" c="dimmed" maw="44rem">
              {text.purposeAndEffect}
            </Text>
          </div>
          <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="sm">
            {field('resolved_findings', text.resolvedFindings)}
            {field('scans', text.scans)}
          </SimpleGrid>
          {problem !== undefined && <Problem error={problem} />}
          <Group>
            <Button
              type="submit"
              size="sm"
              // A disabled button would lose the focus when the values are saved.
              aria-disabled={!form.isDirty()}
              data-disabled={!form.isDirty() || undefined}
              loading={ask.isPending || save.isPending}
              // In the dark scheme, a disabled button has the colour of the card.
              bd={form.isDirty() ? undefined : '1px solid var(--mantine-color-default-border)'}
            >
              {text.save}
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  );
}
