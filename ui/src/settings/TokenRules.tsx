import { Select, SimpleGrid } from '@mantine/core';
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

const DAYS = [30, 90, 180, 365];

const optionsOf = <Value extends string>(labels: Record<Value, string>) =>
  (Object.keys(labels) as Value[]).map((value) => ({ value, label: labels[value] }));

/** The rules for API tokens: their creators, their lifetime, and their end with the rights of the creator. Owners change them. */
export const TokenRules = () => (
  <OwnersRules
    title={text.tokenRules}
    linesOf={(current) => [
      text.ruleIs(text.creatorsOfProjectTokens, text.creators[current.project_token_creators]),
      text.ruleIs(text.tokensOnRoleLoss, text.onRoleLoss[current.tokens_on_role_loss]),
      text.ruleIs(text.longestLifetime, limitText(current.max_token_days, text.noLimit, text.days)),
    ]}
  >
    {(settings) => <TokenRulesForm settings={settings} />}
  </OwnersRules>
);

type Values = Pick<SecuritySettings, 'project_token_creators' | 'tokens_on_role_loss'> & {
  /** Empty: no limit. */
  max_token_days: string;
};

const toValues = (settings: SecuritySettings): Values => ({
  project_token_creators: settings.project_token_creators,
  tokens_on_role_loss: settings.tokens_on_role_loss,
  max_token_days: String(settings.max_token_days ?? NO_LIMIT),
});

function TokenRulesForm({ settings }: { settings: SecuritySettings }) {
  const org = useOrg();
  const queries = useQueryClient();
  const form = useForm<Values>({ initialValues: toValues(settings) });
  return (
    <SettingsCard
      title={text.tokenRules}
      description={text.whatTokenRulesDo}
      form={form}
      saved={text.tokenRulesChanged}
      save={async ({ max_token_days, ...values }) => {
        const body = {
          ...values,
          max_token_days: limitOf(max_token_days),
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
          data={limitOptions(DAYS, settings.max_token_days, text.noLimit, text.days)}
          allowDeselect={false}
          {...form.getInputProps('max_token_days')}
        />
      </SimpleGrid>
    </SettingsCard>
  );
}
