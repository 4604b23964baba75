import { Card, List, NumberInput, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import * as text from '#strings/due-dates.ts';
import { rolesAllowed } from '../app/roles.ts';
import { SEVERITIES, type Severity } from '../app/search.ts';
import { useOrg } from '../app/session.ts';
import { SettingsCard } from '../components/forms/SettingsCard.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { SEVERITY_NAMES } from '../findings/Severity.tsx';
import { bySeverity, daysProblem, daysText, type EnteredDays, MAX_DAYS } from './days.ts';
import { type DueDates, dueDatesQuery } from './queries.ts';

/** After how many days findings of the organization are due. */
export function OrgDueDates() {
  const org = useOrg();
  const dueDates = useQuery(dueDatesQuery(org));
  return (
    <Loaded query={dueDates}>
      {(days) => (org.may('updateDueDates') ? <OrgForm days={days} /> : <Shown days={days} />)}
    </Loaded>
  );
}

const toValues = (days: DueDates) => bySeverity((severity): EnteredDays => days[severity] ?? '');

function OrgForm({ days }: { days: DueDates }) {
  const org = useOrg();
  const queries = useQueryClient();
  const form = useForm<Record<Severity, EnteredDays>>({
    initialValues: toValues(days),
    validate: bySeverity(() => (entered: EnteredDays) => (entered === '' ? null : daysProblem(entered))),
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
          <NumberInput
            key={severity}
            label={SEVERITY_NAMES[severity]}
            placeholder={text.noDueDate}
            suffix={text.daysSuffix}
            min={1}
            max={MAX_DAYS}
            clampBehavior="none"
            allowDecimal={false}
            {...form.getInputProps(severity)}
          />
        ))}
      </SimpleGrid>
    </SettingsCard>
  );
}

/** For members who may not change them. */
function Shown({ days }: { days: DueDates }) {
  return (
    <Card withBorder component="section" aria-labelledby="due-dates">
      <Stack gap={6}>
        <Title order={2} fz="md" id="due-dates">
          {text.dueDates}
        </Title>
        <Text size="sm">{text.purpose}</Text>
        <List size="sm">
          {SEVERITIES.map((severity) => (
            <List.Item key={severity}>
              {text.daysOf(SEVERITY_NAMES[severity], daysText(days[severity]))}
            </List.Item>
          ))}
        </List>
        <Text size="xs" c="dimmed">
          {text.whoMayChange(rolesAllowed('updateDueDates'))}
        </Text>
      </Stack>
    </Card>
  );
}
