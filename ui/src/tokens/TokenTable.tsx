import {
  ActionIcon,
  Alert,
  Box,
  Code,
  Group,
  Stack,
  Switch,
  Table,
  Text,
  VisuallyHidden,
} from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import * as text from '#strings/tokens.tsx';
import { useMe, useOrg } from '../app/session.ts';
import { useConfirmed } from '../components/dialogs/use-confirmed.ts';
import { Empty } from '../components/Empty.tsx';
import { showSuccess } from '../components/errors/toasts.ts';
import { Tip } from '../components/floating/Tip.tsx';
import { OrgAnchor } from '../components/links.tsx';
import { StateBadge } from '../components/StateBadge.tsx';
import { Ago, Day } from '../components/time/Time.tsx';
import { Waiting } from '../components/Waiting.tsx';
import { IconAlertTriangle, IconKey, IconTrash } from '../icons/icons.ts';
import { membersQuery } from '../members/queries.ts';
import { projectsQuery } from '../projects/queries.ts';
import { tokensKey } from './queries.ts';
import { ScopeNames } from './scopes/Scopes.tsx';
import {
  type ApiToken,
  expiresSoon,
  isCiSystem,
  isUsable,
  type TokenState,
  tokenState,
} from './token-state.ts';

const STATES: Record<TokenState, { label: string; color: string }> = {
  active: { label: text.active, color: 'green' },
  expired: { label: text.expired, color: 'gray' },
  revoked: { label: text.revoked, color: 'gray' },
};

/** A table of tokens. Expired and revoked tokens are hidden at first. */
export function TokenTable({ tokens, withScope }: { tokens: ApiToken[]; withScope?: boolean }) {
  const org = useOrg();
  const [all, setAll] = useState(false);
  // Names that arrive later would move the rows.
  const members = useQuery(membersQuery(org));
  const projects = useQuery({ ...projectsQuery(org), enabled: withScope ?? false });
  if (members.isLoading || projects.isLoading) return <Waiting />;
  const usable = tokens.filter(isUsable);
  const ended = tokens.length - usable.length;
  const shown = all ? tokens : usable;
  return (
    <Stack gap="sm">
      {ended > 0 && (
        <Switch
          label={text.showEnded(ended)}
          checked={all}
          onChange={({ currentTarget }) => setAll(currentTarget.checked)}
        />
      )}
      {shown.length === 0 ? (
        <Empty icon={<IconKey />} title={text.noTokens}>
          {text.whoUsesTokens}
        </Empty>
      ) : (
        <Table verticalSpacing="xs" aria-label={text.apiTokens}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{text.name}</Table.Th>
              {withScope && <Table.Th visibleFrom="sm">{text.project}</Table.Th>}
              <Table.Th>{text.state}</Table.Th>
              <Table.Th visibleFrom="lg">{text.created}</Table.Th>
              <Table.Th visibleFrom="lg">{text.lastUsed}</Table.Th>
              <Table.Th visibleFrom="lg">{text.expires}</Table.Th>
              <Table.Th w={48}>
                <VisuallyHidden>{text.actions}</VisuallyHidden>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {shown.map((token) => (
              <TokenRow key={token.id} token={token} withScope={withScope ?? false} />
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Stack>
  );
}

function TokenRow({ token, withScope }: { token: ApiToken; withScope: boolean }) {
  const state = tokenState(token);
  const { label, color } = STATES[state];
  const used = token.last_used ? <Ago time={token.last_used} /> : text.never;
  const expires = token.expires_at ? <Day time={token.expires_at} /> : text.never;
  return (
    <Table.Tr {...(!isUsable(token) && { c: 'dimmed' })}>
      <Table.Td>
        <Text size="sm" fw={500}>
          <bdi>{token.name}</bdi>
        </Text>
        <Start token={token} />
        {withScope && (
          <div>
            <ScopeNames scopes={token.scopes} />
          </div>
        )}
        {withScope && (
          <Box hiddenFrom="sm" mt={4}>
            <Scope projectId={token.project_id} />
          </Box>
        )}
        <Text size="xs" c="dimmed" hiddenFrom="lg" component="div" mt={4}>
          <div>{text.createdAt(<Ago time={token.created_at} />, <Creator userId={token.created_by} />)}</div>
          <div>{text.lastUsedAt(used)}</div>
          <div>{text.expiresAt(expires)}</div>
        </Text>
      </Table.Td>
      {withScope && (
        <Table.Td visibleFrom="sm">
          <Scope projectId={token.project_id} />
        </Table.Td>
      )}
      <Table.Td>
        <StateBadge label={label} color={color} />
        {expiresSoon(token) && (
          <Text size="xs" fw={500} mt={4}>
            {text.expiresSoon}
          </Text>
        )}
      </Table.Td>
      <Table.Td visibleFrom="lg">
        <Text size="sm">
          <Ago time={token.created_at} />
        </Text>
        <Text size="xs" c="dimmed">
          <Creator userId={token.created_by} />
        </Text>
      </Table.Td>
      <Table.Td visibleFrom="lg">{used}</Table.Td>
      <Table.Td visibleFrom="lg">{expires}</Table.Td>
      <Table.Td>{state !== 'revoked' && <RevokeButton token={token} />}</Table.Td>
    </Table.Tr>
  );
}

/** The part of a token that is shown. */
const Start = ({ token }: { token: ApiToken }) =>
  isCiSystem(token) ? (
    <Text size="xs" c="dimmed">
      {text.ciSystem}
    </Text>
  ) : (
    <Code fz="xs" style={{ whiteSpace: 'nowrap' }}>
      {token.prefix}…
    </Code>
  );

function Scope({ projectId }: { projectId: string }) {
  const org = useOrg();
  const { data: projects } = useQuery({ ...projectsQuery(org), enabled: projectId !== '' });
  if (projectId === '') return <Text size="sm">{text.allProjects}</Text>;
  const project = projects?.find(({ id }) => id === projectId);
  if (!project) return null;
  return (
    <OrgAnchor to="/o/$org/projects/$slug" params={{ slug: project.slug }} size="sm">
      <bdi>{project.name}</bdi>
    </OrgAnchor>
  );
}

function Creator({ userId }: { userId: string }) {
  const org = useOrg();
  const { data: members } = useQuery(membersQuery(org));
  if (!members) return null;
  const creator = members.find(({ user_id }) => user_id === userId);
  return creator ? text.createdBy(<bdi>{creator.name}</bdi>) : text.createdByUnknown(org.isLimited);
}

function RevokeButton({ token }: { token: ApiToken }) {
  const org = useOrg();
  const isOwn = useMe().user.id === token.created_by;
  const { data: members } = useQuery(membersQuery(org));
  const creator = members?.find(({ user_id }) => user_id === token.created_by);
  const queries = useQueryClient();
  const revoke = useConfirmed({
    title: text.askRevoke(<bdi>{token.name}</bdi>),
    children: (
      <Stack gap="xs">
        {!isOwn && (
          <Alert color="orange" icon={<IconAlertTriangle />} title={text.notYours}>
            {creator ? text.askCreator(<bdi>{creator.name}</bdi>) : text.unknownCreator(org.isLimited)}
          </Alert>
        )}
        <Text size="sm">
          {isCiSystem(token) ? text.whatRevokingCiDoes : text.consequences(<Code>{token.prefix}…</Code>)}
        </Text>
        <Text size="sm">
          {token.last_used ? text.wasLastUsed(<Ago time={token.last_used} />) : text.neverUsed}
        </Text>
      </Stack>
    ),
    confirm: isOwn ? text.revoke : text.revokeAnyway,
    color: 'red',
    mutationFn: () => {
      const { id, project_id: projectId } = token;
      return projectId === ''
        ? org.api.delete('/tokens/{id}', { params: { path: { id } } })
        : org.api.delete('/projects/{projectId}/tokens/{id}', { params: { path: { projectId, id } } });
    },
    onSuccess: () => {
      showSuccess(text.wasRevoked(token.name));
      return queries.invalidateQueries({ queryKey: tokensKey(org) });
    },
  });
  return (
    <Group justify="flex-end">
      <Tip label={text.revoke}>
        <ActionIcon
          variant="subtle"
          color="red"
          aria-label={text.revokeName(token.name)}
          loading={revoke.isPending}
          onClick={revoke.ask}
        >
          <IconTrash size={16} />
        </ActionIcon>
      </Tip>
    </Group>
  );
}
