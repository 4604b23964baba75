import { Group, Select, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import * as text from '#strings/due-dates.ts';
import { SEVERITIES, type Severity } from '../app/search.ts';
import { useOrg } from '../app/session.ts';
import { DaysInput, daysProblem, type EnteredDays } from '../components/forms/DaysInput.tsx';
import { SettingsCard } from '../components/forms/SettingsCard.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { SEVERITY_NAMES, SeverityBadge } from '../findings/Severity.tsx';
import { bySeverity, type DueDates, daysText, dueDatesQuery, projectDueDatesQuery } from './queries.ts';

/** The due dates of a severity: the days of the organization, no due date, or own days. */
interface Choice {
  mode: 'org' | 'never' | 'own';
  days: EnteredDays;
}

type Choices = Record<Severity, Choice>;

const toChoices = (days: DueDates): Choices =>
  bySeverity((severity) => {
    const own = days[severity];
    return { mode: own === null ? 'org' : own === 0 ? 'never' : 'own', days: own || '' };
  });

const toDays = ({ mode, days }: Choice): number | null =>
  mode === 'org' ? null : mode === 'never' ? 0 : Number(days);

/** After how many days findings of a project are due. */
export function ProjectDueDates({ projectId }: { projectId: string }) {
  const org = useOrg();
  const ofOrg = useQuery(dueDatesQuery(org));
  const own = useQuery(projectDueDatesQuery(org, projectId));
  return (
    <Loaded query={ofOrg}>
      {(inherited) => (
        <Loaded query={own}>
          {(days) => <ProjectForm projectId={projectId} days={days} inherited={inherited} />}
        </Loaded>
      )}
    </Loaded>
  );
}

interface FormProps {
  projectId: string;
  days: DueDates;
  /** The days of the organization. */
  inherited: DueDates;
}

function ProjectForm({ projectId, days, inherited }: FormProps) {
  const org = useOrg();
  const queries = useQueryClient();
  const form = useForm<Choices>({
    initialValues: toChoices(days),
    validate: (values) =>
      bySeverity((severity) => (values[severity].mode === 'own' ? daysProblem(values[severity].days) : null)),
  });
  return (
    <SettingsCard
      title={text.dueDates}
      description={text.projectPurposeAndEffect}
      form={form}
      saved={text.saved}
      save={async (values) => {
        const params = { path: { id: projectId } };
        const body = bySeverity((severity) => toDays(values[severity]));
        const { result } = await org.api.put('/projects/{id}/due-dates', { params, body });
        queries.setQueryData(projectDueDatesQuery(org, projectId).queryKey, result);
        return toChoices(result);
      }}
    >
      <Stack gap="xs">
        {SEVERITIES.map((severity) => {
          const { mode } = form.values[severity];
          const name = SEVERITY_NAMES[severity];
          return (
            <Group key={severity} gap="xs" align="flex-start">
              <Group w="5.5rem" h={36}>
                <SeverityBadge severity={severity} />
              </Group>
              <Select
                aria-label={text.dueDateOf(name)}
                w="15.5rem"
                allowDeselect={false}
                data={[
                  { value: 'org', label: text.ofOrganization(daysText(inherited[severity])) },
                  { value: 'own', label: text.ownDays },
                  { value: 'never', label: text.noDueDate },
                ]}
                {...form.getInputProps(`${severity}.mode`)}
              />
              {mode === 'own' && (
                <DaysInput
                  aria-label={text.ownDaysOf(name)}
                  w="10rem"
                  {...form.getInputProps(`${severity}.days`)}
                  error={form.errors[severity]}
                />
              )}
            </Group>
          );
        })}
      </Stack>
    </SettingsCard>
  );
}
