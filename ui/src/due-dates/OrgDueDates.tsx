import { SimpleGrid } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import * as text from '#strings/due-dates.ts';
import { SEVERITIES, type Severity } from '../app/search.ts';
import { useOrg } from '../app/session.ts';
import { DaysInput, type EnteredDays, optionalDaysProblem } from '../components/forms/DaysInput.tsx';
import { SettingsCard, SettingsShown, whoMay } from '../components/forms/SettingsCard.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { SEVERITY_NAMES } from '../findings/Severity.tsx';
import { bySeverity, type DueDates, daysText, dueDatesQuery } from './queries.ts';

/** After how many days findings of the organization are due. */
export function OrgDueDates() {
  const org = useOrg();
  const dueDates = useQuery(dueDatesQuery(org));
  return (
    <Loaded query={dueDates}>
      {(days) =>
        org.may('updateDueDates') ? (
          <OrgForm days={days} />
        ) : (
          <SettingsShown
            title={text.dueDates}
            description={text.purpose}
            lines={SEVERITIES.map((one) => text.daysOf(SEVERITY_NAMES[one], daysText(days[one])))}
            whoChanges={whoMay('updateDueDates')}
          />
        )
      }
    </Loaded>
  );
}

const toValues = (days: DueDates) => bySeverity((severity): EnteredDays => days[severity] ?? '');

function OrgForm({ days }: { days: DueDates }) {
  const org = useOrg();
  const queries = useQueryClient();
  const form = useForm<Record<Severity, EnteredDays>>({
    initialValues: toValues(days),
    validate: bySeverity(() => optionalDaysProblem),
  });
  return (
    <SettingsCard
      title={text.dueDates}
      description={text.purposeAndEffect}
      form={form}
      saved={text.saved}
      save={async (values) => {
        const body = bySeverity((severity) => (values[severity] === '' ? null : Number(values[severity])));
        const { result } = await org.api.put('/settings/due-dates', { body });
        queries.setQueryData(dueDatesQuery(org).queryKey, result);
        return toValues(result);
      }}
    >
      <SimpleGrid cols={{ base: 2, xs: 3, md: 5 }} spacing="sm">
        {SEVERITIES.map((severity) => (
          <DaysInput
            key={severity}
            label={SEVERITY_NAMES[severity]}
            placeholder={text.noDueDate}
            {...form.getInputProps(severity)}
          />
        ))}
      </SimpleGrid>
    </SettingsCard>
  );
}
