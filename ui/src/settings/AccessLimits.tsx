import { Select, SimpleGrid, TagsInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import * as text from '#strings/settings.ts';
import { useOrg } from '../app/session.ts';
import { SettingsCard } from '../components/forms/SettingsCard.tsx';
import {
  limitOf,
  limitOptions,
  limitText,
  NO_LIMIT,
  OwnersRules,
  type SecuritySettings,
} from './OwnersRules.tsx';
import { securityQuery } from './queries.ts';

const MINUTES = [15, 30, 60, 240];
const HOURS = [1, 4, 8, 12];

/** The networks from which the organization is used, and the age of sessions. Owners change them. */
export const AccessLimits = () => (
  <OwnersRules
    title={text.access}
    linesOf={(current) => [
      text.ruleIs(text.allowedNetworks, current.allowed_networks.join(', ') || text.everywhere),
      text.ruleIs(text.idleLimit, limitText(current.session_idle_minutes, text.never, text.minutes)),
      text.ruleIs(text.ageLimit, limitText(current.session_max_hours, text.never, text.everyHours)),
    ]}
  >
    {(settings) => <AccessLimitsForm settings={settings} />}
  </OwnersRules>
);

interface Values {
  allowed_networks: string[];
  /** Empty: never. */
  session_idle_minutes: string;
  session_max_hours: string;
}

const toValues = (settings: SecuritySettings): Values => ({
  allowed_networks: settings.allowed_networks,
  session_idle_minutes: String(settings.session_idle_minutes ?? NO_LIMIT),
  session_max_hours: String(settings.session_max_hours ?? NO_LIMIT),
});

function AccessLimitsForm({ settings }: { settings: SecuritySettings }) {
  const org = useOrg();
  const queries = useQueryClient();
  const form = useForm<Values>({ initialValues: toValues(settings) });
  return (
    <SettingsCard
      title={text.access}
      description={text.whatAccessDoes}
      form={form}
      saved={text.accessChanged}
      save={async (values) => {
        const { result } = await org.api.patch('/settings/security', {
          body: {
            allowed_networks: values.allowed_networks,
            session_idle_minutes: limitOf(values.session_idle_minutes),
            session_max_hours: limitOf(values.session_max_hours),
          },
        });
        queries.setQueryData(securityQuery(org).queryKey, result);
        return toValues(result);
      }}
    >
      <SimpleGrid cols={1} spacing="sm" maw={520}>
        <TagsInput
          label={text.allowedNetworks}
          description={text.networksHelp}
          placeholder={form.values.allowed_networks.length === 0 ? text.everywhere : ''}
          splitChars={[',', ' ']}
          acceptValueOnBlur
          clearable
          {...form.getInputProps('allowed_networks')}
        />
        <Select
          label={text.idleLimit}
          data={limitOptions(MINUTES, settings.session_idle_minutes, text.never, text.minutes)}
          allowDeselect={false}
          {...form.getInputProps('session_idle_minutes')}
        />
        <Select
          label={text.ageLimit}
          data={limitOptions(HOURS, settings.session_max_hours, text.never, text.everyHours)}
          allowDeselect={false}
          {...form.getInputProps('session_max_hours')}
        />
      </SimpleGrid>
    </SettingsCard>
  );
}
