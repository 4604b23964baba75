import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import * as text from '#strings/sso.tsx';
import { api, type Schemas } from '../app/api.ts';
import { useConfirmed } from '../components/dialogs/use-confirmed.ts';
import { Problem } from '../components/errors/Problem.tsx';
import { showSuccess } from '../components/errors/toasts.ts';
import { Loaded } from '../components/Loaded.tsx';
import { SectionCard } from '../components/SectionCard.tsx';
import { identitiesQuery } from './queries.ts';

/** The accounts at providers that sign in to the user's account. */
export function Identities() {
  const queries = useQueryClient();
  const identities = useQuery(identitiesQuery);
  const [email, setEmail] = useState('');
  const connect = useMutation({
    mutationFn: () => api.post('/auth/sso/link', { body: { email: email.trim() } }),
    async onSuccess() {
      setEmail('');
      showSuccess(text.connected);
      await queries.invalidateQueries(identitiesQuery);
    },
  });
  return (
    <SectionCard title={text.identities} description={text.whatIdentitiesDo}>
      <Loaded query={identities}>
        {(list) => (
          <Stack gap="xs">
            {list.map((identity) => (
              <IdentityRow key={identity.id} identity={identity} />
            ))}
          </Stack>
        )}
      </Loaded>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          connect.mutate();
        }}
      >
        <Stack gap="xs">
          <Group align="flex-end">
            <TextInput
              label={text.connectAddress}
              description={text.connectHint}
              type="email"
              value={email}
              onChange={({ currentTarget }) => setEmail(currentTarget.value)}
            />
            <Button
              type="submit"
              variant="default"
              loading={connect.isPending}
              disabled={email.trim() === ''}
            >
              {text.connect}
            </Button>
          </Group>
          {connect.error && <Problem error={connect.error} />}
        </Stack>
      </form>
    </SectionCard>
  );
}

function IdentityRow({ identity: { id, email, issuer } }: { identity: Schemas['SsoIdentity'] }) {
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
      <div style={{ minWidth: 0 }}>
        <Text size="sm" fw={500}>
          <bdi>{email}</bdi>
        </Text>
        <Text size="xs" c="dimmed">
          <bdi>{issuer}</bdi>
        </Text>
      </div>
      <Button size="compact-sm" variant="subtle" color="red" loading={remove.isPending} onClick={remove.ask}>
        {text.disconnect}
      </Button>
    </Group>
  );
}
