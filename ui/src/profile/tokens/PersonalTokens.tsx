import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { DATES } from '#strings/language.ts';
import * as text from '#strings/profile/tokens.ts';
import { api, type Schemas } from '../../app/api.ts';
import { useMe } from '../../app/session.ts';
import { useConfirmed } from '../../components/dialogs/use-confirmed.ts';
import { Empty } from '../../components/Empty.tsx';
import { showSuccess } from '../../components/errors/toasts.ts';
import { Loaded } from '../../components/Loaded.tsx';
import { Row, Rows } from '../../components/Rows.tsx';
import { SectionHead } from '../../components/SectionHead.tsx';
import { StateBadge } from '../../components/StateBadge.tsx';
import { Ago } from '../../components/time/Time.tsx';
import { IconKey, IconPlus } from '../../icons/icons.ts';
import { ScopeNames } from '../../tokens/scopes/Scopes.tsx';
import { NewPersonalToken, personalTokensQuery } from './NewPersonalToken.tsx';

type PersonalToken = Schemas['PersonalToken'];

const day = new Intl.DateTimeFormat(DATES, { dateStyle: 'medium' });

/** The personal access tokens of the user. */
export function PersonalTokens() {
  const tokens = useQuery(personalTokensQuery);
  const [opened, { open, close }] = useDisclosure();
  return (
    <Stack>
      <Group justify="space-between" align="flex-start">
        <SectionHead flex="1 1 18rem" title={text.title} description={text.what} />
        <Button leftSection={<IconPlus size={16} />} onClick={open}>
          {text.newToken}
        </Button>
      </Group>
      <Loaded query={tokens}>
        {(list) =>
          list.length === 0 ? (
            <Empty icon={<IconKey />} title={text.none}>
              {text.whenToMakeOne}
            </Empty>
          ) : (
            <Rows label={text.list}>
              {list.map((token) => (
                <TokenRow key={token.id} token={token} />
              ))}
            </Rows>
          )
        }
      </Loaded>
      <NewPersonalToken opened={opened} onClose={close} />
    </Stack>
  );
}

function TokenRow({ token }: { token: PersonalToken }) {
  const { orgs } = useMe();
  const isExpired = new Date(token.expires_at) <= new Date();
  const organization = orgs.find(({ id }) => id === token.org_id)?.name ?? text.unknownOrganization;
  return (
    <Row actions={<Revoke token={token} />}>
      <Group gap="xs">
        <Text size="sm" fw={500}>
          <bdi>{token.name}</bdi>
        </Text>
        <Code fz="xs">{token.prefix}…</Code>
        {isExpired && <StateBadge label={text.expired} color="gray" />}
      </Group>
      <div>
        <ScopeNames scopes={token.scopes} />
        {token.org_id !== undefined && (
          <Text size="xs" c="dimmed" component="span">
            {' · '}
            <bdi>{text.only(organization)}</bdi>
          </Text>
        )}
      </div>
      <Text size="xs" c="dimmed">
        {text.created} <Ago time={token.created_at} /> ·{' '}
        {token.last_used ? (
          <>
            {text.lastUsed} <Ago time={token.last_used} />
          </>
        ) : (
          text.neverUsed
        )}{' '}
        · {isExpired ? text.expired : text.expires} {day.format(new Date(token.expires_at))}
      </Text>
    </Row>
  );
}

function Revoke({ token }: { token: PersonalToken }) {
  const queries = useQueryClient();
  const revoke = useConfirmed({
    title: <bdi>{text.revokeQuestion(token.name)}</bdi>,
    children: <Text size="sm">{text.rejected}</Text>,
    confirm: text.revoke,
    color: 'red',
    mutationFn: () => api.delete('/profile/tokens/{id}', { params: { path: { id: token.id } } }),
    onSuccess: () => showSuccess(text.revoked(token.name)),
    onSettled: () => queries.invalidateQueries({ queryKey: personalTokensQuery.queryKey }),
  });
  return (
    <Button
      size="compact-sm"
      variant="default"
      aria-label={text.revokeNamed(token.name)}
      loading={revoke.isPending}
      onClick={revoke.ask}
    >
      {text.revoke}
    </Button>
  );
}
