import { Card, Select, Stack, Text, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useId } from 'react';
import * as text from '#strings/settings.ts';
import type { Schemas } from '../app/api.ts';
import { useOrg } from '../app/session.ts';
import { useAction } from '../components/dialogs/use-confirmed.ts';
import { showSuccess } from '../components/errors/toasts.ts';
import { Loaded } from '../components/Loaded.tsx';
import { useAnchor } from '../components/SectionCard.tsx';
import { securityQuery } from './queries.ts';

type Settings = Schemas['SecuritySettings'];
type Changes = Schemas['SecuritySettingsChanges'];

const DAYS = [30, 90, 180, 365];
const NO_LIMIT = '';

const optionsOf = <Value extends string>(labels: Record<Value, string>) =>
  (Object.keys(labels) as Value[]).map((value) => ({ value, label: labels[value] }));

/** The rules for API tokens: their creators, their lifetime, and their end with the rights of the creator. Owners change them. */
export function TokenRules() {
  const settings = useQuery(securityQuery(useOrg()));
  return <Loaded query={settings}>{(current) => <Rules settings={current} />}</Loaded>;
}

function Rules({ settings }: { settings: Settings }) {
  const org = useOrg();
  const queries = useQueryClient();
  const id = useId();
  const isOwner = org.role === 'owner';
  const change = useAction({
    mutationFn: (body: Changes) => org.api.patch('/settings/security', { body }),
    onSuccess: () => {
      showSuccess(text.tokenRulesChanged);
      return queries.invalidateQueries({ queryKey: securityQuery(org).queryKey });
    },
  });
  const days = settings.max_token_days;
  const known = [...new Set([...DAYS, ...(days === null ? [] : [days])])].sort((a, b) => a - b);
  const shared = { allowDeselect: false, disabled: !isOwner || change.isPending };
  return (
    <Card component="section" withBorder {...useAnchor<HTMLElement>(text.tokenRules)} aria-labelledby={id}>
      <Stack maw={520}>
        <Title order={2} id={id}>
          {text.tokenRules}
        </Title>
        <Select
          label={text.creatorsOfProjectTokens}
          data={optionsOf(text.creators)}
          value={settings.project_token_creators}
          onChange={(value) =>
            change.mutate({ project_token_creators: value as Settings['project_token_creators'] })
          }
          {...shared}
        />
        <Select
          label={text.tokensOnRoleLoss}
          description={text.whatLimitDoes}
          data={optionsOf(text.onRoleLoss)}
          value={settings.tokens_on_role_loss}
          onChange={(value) =>
            change.mutate({ tokens_on_role_loss: value as Settings['tokens_on_role_loss'] })
          }
          {...shared}
        />
        <Select
          label={text.longestLifetime}
          description={text.shortensExisting}
          data={[
            { value: NO_LIMIT, label: text.noLimit },
            ...known.map((count) => ({ value: String(count), label: text.days(count) })),
          ]}
          value={days === null ? NO_LIMIT : String(days)}
          onChange={(value) => change.mutate({ max_token_days: value ? Number(value) : null })}
          {...shared}
        />
        {!isOwner && (
          <Text size="xs" c="dimmed">
            {text.ownersChangeTokenRules}
          </Text>
        )}
      </Stack>
    </Card>
  );
}
