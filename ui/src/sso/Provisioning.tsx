import { Button, Code, Group, Modal, Stack, Table, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { number } from '#strings/language.ts';
import * as text from '#strings/provisioning.tsx';
import { roles } from '#strings/sso.tsx';
import type { Schemas } from '../app/api.ts';
import { useOrg } from '../app/session.ts';
import { Copyable } from '../components/Copy.tsx';
import { useAction, useConfirmed } from '../components/dialogs/use-confirmed.ts';
import { showSuccess } from '../components/errors/toasts.ts';
import { Loaded } from '../components/Loaded.tsx';
import { SectionCard } from '../components/SectionCard.tsx';
import { ShowMore } from '../components/ShowMore.tsx';
import { KEPT_OPEN, ShownOnce } from '../components/ShownOnce.tsx';
import { Ago } from '../components/time/Time.tsx';
import { membersQuery } from '../members/queries.ts';
import { provisioningQuery } from './queries.ts';

type Settings = Schemas['ScimSettings'];
type Token = NonNullable<Settings['token']>;

/** The base URL, the token and the groups of the identity provider that adds and removes members, for owners. */
export function Provisioning() {
  const state = useQuery(provisioningQuery(useOrg()));
  return (
    <SectionCard title={text.provisioning} description={text.description}>
      <Loaded query={state}>
        {({ base_url, token, groups }) => (
          <Stack gap="lg">
            <div>
              <Label>{text.baseUrl}</Label>
              <Copyable value={base_url} label={text.copyBaseUrl} />
              <Text size="xs" c="dimmed" mt={4}>
                {text.whereToEnterBaseUrl}
              </Text>
            </div>
            <TokenPart token={token} />
            {(token || groups.length > 0) && <GroupsReceived groups={groups} />}
          </Stack>
        )}
      </Loaded>
    </SectionCard>
  );
}

const Label = ({ children }: { children: string }) => (
  <Text size="sm" fw={500} mb={4}>
    {children}
  </Text>
);

function TokenPart({ token }: { token: Token | undefined }) {
  const org = useOrg();
  const queries = useQueryClient();
  const [created, setCreated] = useState('');
  const [isOpen, dialog] = useDisclosure();
  const renew = () => queries.invalidateQueries(provisioningQuery(org));
  const create = () => org.api.post('/settings/scim/token', {});
  const show = async ({ result }: Awaited<ReturnType<typeof create>>) => {
    setCreated(result.token);
    dialog.open();
    await renew();
  };
  const first = useAction({ mutationFn: create, onSuccess: show });
  const next = useConfirmed({
    title: text.askReplace,
    children: (
      <Stack gap="xs">
        <Text size="sm">{text.pauseFirst}</Text>
        <Text size="sm">{text.thenResume}</Text>
      </Stack>
    ),
    confirm: text.replace,
    mutationFn: create,
    onSuccess: show,
  });
  const remove = useConfirmed({
    title: text.askRemove,
    children: <Text size="sm">{text.removing}</Text>,
    confirm: text.remove,
    color: 'red',
    mutationFn: () => org.api.delete('/settings/scim/token', {}),
    async onSuccess() {
      showSuccess(text.removed);
      await renew();
    },
  });
  const close = () => {
    dialog.close();
    setCreated('');
  };
  return (
    <div>
      <Label>{text.scimToken}</Label>
      <Stack gap="xs">
        {token ? (
          <Group justify="space-between" gap="xs">
            <div style={{ minWidth: 0 }}>
              <Code>{text.tokenOf(token.prefix)}</Code>
              <Text size="xs" c="dimmed" mt={4}>
                <Created token={token} />
              </Text>
              <Text size="xs" c="dimmed">
                {token.last_used ? text.lastUsed(<Ago time={token.last_used} />) : text.neverUsed}
              </Text>
            </div>
            <Group gap="xs">
              <Button size="compact-sm" variant="default" loading={next.isPending} onClick={next.ask}>
                {text.replace}
              </Button>
              <Button
                size="compact-sm"
                variant="subtle"
                color="red"
                loading={remove.isPending}
                onClick={remove.ask}
              >
                {text.remove}
              </Button>
            </Group>
          </Group>
        ) : (
          <Group justify="space-between" gap="xs">
            <Text size="sm">{text.noToken}</Text>
            <Button
              size="compact-sm"
              variant="default"
              loading={first.isPending}
              onClick={() => first.mutate()}
            >
              {text.create}
            </Button>
          </Group>
        )}
        <Text size="xs" c="dimmed" maw="44rem">
          {text.whatTokenDoes}
        </Text>
      </Stack>
      <Modal opened={isOpen} onClose={close} title={text.newToken} {...KEPT_OPEN}>
        <ShownOnce warning={text.copyNow} saved={text.isStored} onClose={close}>
          <Copyable value={created} label={text.copyToken} />
        </ShownOnce>
      </Modal>
    </div>
  );
}

/** When the token was created, and by whom. */
function Created({ token: { created_at, created_by } }: { token: Token }) {
  const { data: members } = useQuery(membersQuery(useOrg()));
  const time = <Ago time={created_at} />;
  if (!members) return text.createdAt(time);
  const creator = members.find(({ user_id }) => user_id === created_by);
  return creator ? text.createdBy(time, <bdi>{creator.name}</bdi>) : text.createdByFormer(time);
}

/** Groups that are shown at first. */
const SHOWN = 20;

function GroupsReceived({ groups }: { groups: Settings['groups'] }) {
  return (
    <div>
      <Label>{text.groupsReceived}</Label>
      {groups.length === 0 ? (
        <Text size="sm" c="dimmed">
          {text.noGroups}
        </Text>
      ) : (
        <Stack gap="xs">
          <ShowMore items={groups} count={SHOWN}>
            {(shown) => (
              <Table verticalSpacing={6} aria-label={text.groupsReceived}>
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>{text.group}</Table.Th>
                    <Table.Th ta="end">{text.members}</Table.Th>
                    <Table.Th>{text.role}</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {shown.map(({ id, display_name, members, role }) => (
                    <Table.Tr key={id}>
                      {/* Spaces are part of a name, which is compared exactly. */}
                      <Table.Td style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
                        <bdi>{display_name}</bdi>
                      </Table.Td>
                      <Table.Td ta="end" style={{ fontVariantNumeric: 'tabular-nums' }}>
                        {number(members)}
                      </Table.Td>
                      <Table.Td {...(!role && { c: 'dimmed' })}>
                        {role ? roles[role] : text.notMapped}
                      </Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            )}
          </ShowMore>
          <Text size="xs" c="dimmed">
            {text.howToMap}
          </Text>
        </Stack>
      )}
    </div>
  );
}
