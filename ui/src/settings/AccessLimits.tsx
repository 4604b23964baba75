import { Select, SimpleGrid, TagsInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import * as text from '#strings/settings.ts';
import type { Schemas } from '../app/api.ts';
import { useOrg } from '../app/session.ts';
import { SettingsCard, SettingsShown } from '../components/forms/SettingsCard.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { securityQuery } from './queries.ts';

type Settings = Schemas['SecuritySettings'];

const MINUTES = [15, 30, 60, 240];
const HOURS = [1, 4, 8, 12];
const NEVER = '';

/** The networks from which the organization is used, and the age of sessions. Owners change them. */
export function AccessLimits() {
  const org = useOrg();
  const settings = useQuery(securityQuery(org));
  return (
    <Loaded query={settings}>
      {(current) =>
        org.role === 'owner' ? (
          <AccessLimitsForm settings={current} />
        ) : (
          <SettingsShown
            title={text.access}
            lines={[
              text.ruleIs(text.allowedNetworks, current.allowed_networks.join(', ') || text.everywhere),
              text.ruleIs(text.idleLimit, shown(current.session_idle_minutes, text.minutes)),
              text.ruleIs(text.ageLimit, shown(current.session_max_hours, text.everyHours)),
            ]}
            whoChanges={text.ownersChangeTokenRules}
          />
        )
      }
    </Loaded>
  );
}

const shown = (value: number | null, toText: (value: number) => string) =>
  value === null ? text.never : toText(value);

interface Values {
  allowed_networks: string[];
  /** Empty: never. */
  session_idle_minutes: string;
  session_max_hours: string;
}

const toValues = (settings: Settings): Values => ({
  allowed_networks: settings.allowed_networks,
  session_idle_minutes: String(settings.session_idle_minutes ?? NEVER),
  session_max_hours: String(settings.session_max_hours ?? NEVER),
});

const toNumber = (value: string) => (value === NEVER ? null : Number(value));

/** Options of a limit, the present one too. */
const options = (known: number[], current: number | null, toText: (value: number) => string) => [
  { value: NEVER, label: text.never },
  ...[...new Set([...known, ...(current === null ? [] : [current])])]
    .sort((a, b) => a - b)
    .map((value) => ({ value: String(value), label: toText(value) })),
];

function AccessLimitsForm({ settings }: { settings: Settings }) {
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
            session_idle_minutes: toNumber(values.session_idle_minutes),
            session_max_hours: toNumber(values.session_max_hours),
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
          data={options(MINUTES, settings.session_idle_minutes, text.minutes)}
          allowDeselect={false}
          {...form.getInputProps('session_idle_minutes')}
        />
        <Select
          label={text.ageLimit}
          data={options(HOURS, settings.session_max_hours, text.everyHours)}
          allowDeselect={false}
          {...form.getInputProps('session_max_hours')}
        />
      </SimpleGrid>
    </SettingsCard>
  );
}
