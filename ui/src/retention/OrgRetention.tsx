import { SimpleGrid, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import * as text from '#strings/retention.ts';
import type { Schemas } from '../app/api.ts';
import { type OrgSession, useOrg } from '../app/session.ts';
import { DaysInput, type EnteredDays, optionalDaysProblem } from '../components/forms/DaysInput.tsx';
import { SettingsCard, SettingsShown, whoMay } from '../components/forms/SettingsCard.tsx';
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
      {(days) =>
        org.may('updateRetention') ? (
          <RetentionForm days={days} />
        ) : (
          <SettingsShown
            title={text.retention}
            description={text.purpose}
            lines={[
              text.daysOf(text.resolvedFindings, daysText(days.resolved_findings)),
              text.daysOf(text.scans, daysText(days.scans)),
            ]}
            whoChanges={whoMay('updateRetention')}
          />
        )
      }
    </Loaded>
  );
}

const daysText = (days: number | null): string => (days === null ? text.keptForEver : text.days(days));

type Entered = Record<keyof Retention, EnteredDays>;

const toValues = (days: Retention): Entered => ({
  resolved_findings: days.resolved_findings ?? '',
  scans: days.scans ?? '',
});

const toDays = (values: Entered): Retention => ({
  resolved_findings: values.resolved_findings === '' ? null : Number(values.resolved_findings),
  scans: values.scans === '' ? null : Number(values.scans),
});

/** Sets how long findings and scans are kept. Asks before it removes any. */
function RetentionForm({ days }: { days: Retention }) {
  const org = useOrg();
  const queries = useQueryClient();
  const form = useForm<Entered>({
    initialValues: toValues(days),
    validate: { resolved_findings: optionalDaysProblem, scans: optionalDaysProblem },
  });
  return (
    <SettingsCard
      title={text.retention}
      description={text.purposeAndEffect}
      form={form}
      saved={text.saved}
      ask={async (values) => {
        const { result } = await org.api.post('/settings/retention/preview', { body: toDays(values) });
        const { resolved_findings: findings, scans } = result;
        if (findings + scans === 0) return undefined;
        return {
          title: text.removeExpired,
          children: <Text size="sm">{text.willBeRemoved(findings, scans)}</Text>,
          confirm: text.saveAndRemove,
          color: 'red',
        };
      }}
      save={async (values) => {
        const { result } = await org.api.put('/settings/retention', { body: toDays(values) });
        queries.setQueryData(retentionQuery(org).queryKey, result);
        return toValues(result);
      }}
    >
      <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="sm">
        {(['resolved_findings', 'scans'] as const).map((kind) => (
          <DaysInput
            key={kind}
            label={kind === 'scans' ? text.scans : text.resolvedFindings}
            placeholder={text.keptForEver}
            {...form.getInputProps(kind)}
          />
        ))}
      </SimpleGrid>
    </SettingsCard>
  );
}
