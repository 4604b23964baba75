import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import * as text from '#strings/sso.tsx';
import { api, type Schemas } from '../app/api.ts';
import { useConfirmed } from '../components/dialogs/use-confirmed.ts';
import { showSuccess } from '../components/errors/toasts.ts';
import { Loaded } from '../components/Loaded.tsx';
import { SectionCard } from '../components/SectionCard.tsx';
import { identitiesQuery } from './queries.ts';
import { SsoProblem } from './SsoButtons.tsx';

/** The accounts at providers that sign in to the user's account, and the connections that can. */
export function Identities({ refused }: { refused: string | undefined }) {
  const query = useQuery(identitiesQuery);
  if (query.data?.identities.length === 0 && query.data.connections.length === 0) return null;
  return (
    <SectionCard title={text.identities} description={text.whatIdentitiesDo}>
      {refused !== undefined && <SsoProblem reason={refused} title={text.notConnected} />}
      <Loaded query={query}>
        {({ identities, connections }) => (
          <Stack gap="xs">
            {identities.map((identity) => (
              <IdentityRow key={identity.id} identity={identity} />
            ))}
            {connections.map((connection) => (
              <ConnectionRow key={connection.id} connection={connection} />
            ))}
          </Stack>
        )}
      </Loaded>
    </SectionCard>
  );
}

function ConnectionRow({ connection }: { connection: Schemas['SsoConnectable'] }) {
  const { id, name, issuer, organization } = connection;
  const connect = useConfirmed({
    title: text.askConnect(<bdi>{name}</bdi>),
    children: <Text size="sm">{text.whatConnectingDoes(<bdi>{issuer}</bdi>)}</Text>,
    confirm: text.connect,
    mutationFn: () =>
      api.post('/profile/identities', { body: { connection: id, return_to: location.pathname } }),
    onSuccess: ({ result }) => location.assign(result.url),
  });
  return (
    <Group justify="space-between">
      <Names title={name} below={organization ?? issuer} />
      <Button size="compact-sm" variant="default" loading={connect.isPending} onClick={connect.ask}>
        {text.connect}
      </Button>
    </Group>
  );
}

function IdentityRow({
  identity: { id, email, issuer, organization },
}: {
  identity: Schemas['SsoIdentity'];
}) {
  const queries = useQueryClient();
  const remove = useConfirmed({
    title: text.askDisconnect(<bdi>{email}</bdi>),
    children: <Text size="sm">{text.noLongerSignsIn}</Text>,
    confirm: text.disconnect,
    color: 'red',
    mutationFn: () => api.delete('/profile/identities/{id}', { params: { path: { id } } }),
    async onSuccess() {
      showSuccess(text.disconnected);
      await queries.invalidateQueries(identitiesQuery);
    },
  });
  return (
    <Group justify="space-between">
      <Names title={email} below={organization ? `${organization} · ${issuer}` : issuer} />
      <Button size="compact-sm" variant="subtle" color="red" loading={remove.isPending} onClick={remove.ask}>
        {text.disconnect}
      </Button>
    </Group>
  );
}

const Names = ({ title, below }: { title: string; below: string }) => (
  <div style={{ minWidth: 0 }}>
    <Text size="sm" fw={500}>
      <bdi>{title}</bdi>
    </Text>
    <Text size="xs" c="dimmed">
      <bdi>{below}</bdi>
    </Text>
  </div>
);
