import { Select, SimpleGrid } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import * as text from '#strings/settings.ts';
import type { Schemas } from '../app/api.ts';
import { useOrg } from '../app/session.ts';
import { SettingsCard, SettingsShown } from '../components/forms/SettingsCard.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { securityQuery } from './queries.ts';

type Settings = Schemas['SecuritySettings'];

const DAYS = [30, 90, 180, 365];
const NO_LIMIT = '';

const optionsOf = <Value extends string>(labels: Record<Value, string>) =>
  (Object.keys(labels) as Value[]).map((value) => ({ value, label: labels[value] }));

/** The rules for API tokens: their creators, their lifetime, and their end with the rights of the creator. Owners change them. */
export function TokenRules() {
  const org = useOrg();
  const settings = useQuery(securityQuery(org));
  return (
    <Loaded query={settings}>
      {(current) =>
        org.role === 'owner' ? (
          <TokenRulesForm settings={current} />
        ) : (
          <SettingsShown
            title={text.tokenRules}
            lines={[
              text.ruleIs(text.creatorsOfProjectTokens, text.creators[current.project_token_creators]),
              text.ruleIs(text.tokensOnRoleLoss, text.onRoleLoss[current.tokens_on_role_loss]),
              text.ruleIs(text.longestLifetime, lifetimeText(current.max_token_days)),
            ]}
            whoChanges={text.ownersChangeTokenRules}
          />
        )
      }
    </Loaded>
  );
}

const lifetimeText = (days: number | null): string => (days === null ? text.noLimit : text.days(days));

type Values = Pick<Settings, 'project_token_creators' | 'tokens_on_role_loss'> & {
  /** Empty: no limit. */
  max_token_days: string;
};

const toValues = (settings: Settings): Values => ({
  project_token_creators: settings.project_token_creators,
  tokens_on_role_loss: settings.tokens_on_role_loss,
  max_token_days: settings.max_token_days === null ? NO_LIMIT : String(settings.max_token_days),
});

function TokenRulesForm({ settings }: { settings: Settings }) {
  const org = useOrg();
  const queries = useQueryClient();
  const form = useForm<Values>({ initialValues: toValues(settings) });
  const { max_token_days: days } = settings;
  const known = [...new Set([...DAYS, ...(days === null ? [] : [days])])].sort((a, b) => a - b);
  return (
    <SettingsCard
      title={text.tokenRules}
      description={text.whatTokenRulesDo}
      form={form}
      saved={text.tokenRulesChanged}
      save={async ({ max_token_days, ...values }) => {
        const body = {
          ...values,
          max_token_days: max_token_days === NO_LIMIT ? null : Number(max_token_days),
        };
        const { result } = await org.api.patch('/settings/security', { body });
        queries.setQueryData(securityQuery(org).queryKey, result);
        return toValues(result);
      }}
    >
      <SimpleGrid cols={1} spacing="sm" maw={520}>
        <Select
          label={text.creatorsOfProjectTokens}
          data={optionsOf(text.creators)}
          allowDeselect={false}
          {...form.getInputProps('project_token_creators')}
        />
        <Select
          label={text.tokensOnRoleLoss}
          description={text.whatLimitDoes}
          data={optionsOf(text.onRoleLoss)}
          allowDeselect={false}
          {...form.getInputProps('tokens_on_role_loss')}
        />
        <Select
          label={text.longestLifetime}
          description={text.shortensExisting}
          data={[
            { value: NO_LIMIT, label: text.noLimit },
            ...known.map((count) => ({ value: String(count), label: text.days(count) })),
          ]}
          allowDeselect={false}
          {...form.getInputProps('max_token_days')}
        />
      </SimpleGrid>
    </SettingsCard>
  );
}
