import { Button, Code, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import * as text from '#strings/profile/tokens.ts';
import { api, type Schemas } from '../../app/api.ts';
import { useMe } from '../../app/session.ts';
import { useConfirmed } from '../../components/dialogs/use-confirmed.ts';
import { Empty } from '../../components/Empty.tsx';
import { showSuccess } from '../../components/errors/toasts.ts';
import { DialogForm } from '../../components/forms/DialogForm.tsx';
import { useSend } from '../../components/forms/use-send.ts';
import { Loaded } from '../../components/Loaded.tsx';
import { Row, Rows } from '../../components/Rows.tsx';
import { SectionHead } from '../../components/SectionHead.tsx';
import { KEPT_OPEN } from '../../components/ShownOnce.tsx';
import { StateBadge } from '../../components/StateBadge.tsx';
import { dayOf } from '../../components/time/dates.ts';
import { Ago, Day } from '../../components/time/Time.tsx';
import { IconKey, IconPlus } from '../../icons/icons.ts';
import { type Scope, ScopeNames, ScopeSelect, TokenShown } from '../../tokens/scopes/Scopes.tsx';
import { daysFromNow } from '../../tokens/token-state.ts';

type PersonalToken = Schemas['PersonalToken'];

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
      <Loaded
        query={tokens}
        empty={
          <Empty icon={<IconKey />} title={text.none}>
            {text.whenToMakeOne}
          </Empty>
        }
      >
        {(list) => (
          <Rows label={text.title}>
            {list.map((token) => (
              <TokenRow key={token.id} token={token} />
            ))}
          </Rows>
        )}
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
        · {isExpired ? text.expired : text.expires} <Day time={token.expires_at} />
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

/** The personal access tokens of the user, newest first. */
const personalTokensQuery = queryOptions({
  queryKey: ['profile', 'tokens'],
  queryFn: async ({ signal }) => (await api.get('/profile/tokens', { signal })).result.tokens,
});

const EXPIRIES = [
  { value: '30', label: text.days30 },
  { value: '90', label: text.days90 },
  { value: '365', label: text.days365 },
];
const ALL = '';

/** A token, and the organization of the example of its use. */
interface Made {
  token: string;
  slug: string;
}

/** Creates a personal access token and shows it. */
function NewPersonalToken({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [made, setMade] = useState<Made>();
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      onExitTransitionEnd={() => setMade(undefined)}
      size="lg"
      title={made ? text.yourNewToken : text.newToken}
      {...(made && KEPT_OPEN)}
    >
      {made ? <TokenShown {...made} onClose={onClose} /> : <Form onCancel={onClose} onCreated={setMade} />}
    </Modal>
  );
}

function Form({ onCancel, onCreated }: { onCancel: () => void; onCreated: (made: Made) => void }) {
  const { orgs } = useMe();
  const queries = useQueryClient();
  const form = useForm({
    initialValues: { name: '', scope: 'read' as Scope, expiry: '90', org: ALL },
    validate: { name: (name) => (name.trim() === '' ? text.enterName : null) },
  });
  const { scope, expiry, org } = form.values;
  const make = useSend(form, {
    send: async ({ name }) => {
      const scopes = scope === 'ingest' ? [] : [scope];
      const body = {
        name: name.trim(),
        scopes,
        expires_in: Number(expiry),
        ...(org !== ALL && { org_id: org }),
      };
      return (await api.post('/profile/tokens', { body })).result;
    },
    onSent: async ({ token }) => {
      const slug = (orgs.find(({ id }) => id === org) ?? orgs[0])?.slug ?? 'acme';
      onCreated({ token, slug });
      await queries.invalidateQueries({ queryKey: personalTokensQuery.queryKey });
    },
  });
  return (
    <DialogForm sending={make} action={text.create} onCancel={onCancel}>
      <TextInput
        label={text.name}
        description={text.whereUsed}
        placeholder={text.example}
        maxLength={100}
        required
        data-autofocus
        autoComplete="off"
        {...form.getInputProps('name')}
      />
      <ScopeSelect
        scopes={['read', 'triage', 'admin']}
        value={scope}
        onChange={(chosen) => form.setFieldValue('scope', chosen)}
      />
      <Select
        label={text.organization}
        data={[
          { value: ALL, label: text.allOrganizations },
          ...orgs.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        allowDeselect={false}
        {...form.getInputProps('org')}
      />
      <Select
        label={text.expiresAfter}
        data={EXPIRIES}
        allowDeselect={false}
        {...form.getInputProps('expiry')}
      />
      <Text size="sm" c="dimmed" aria-live="polite">
        {text.validUntil(dayOf(daysFromNow(Number(expiry))))}
      </Text>
    </DialogForm>
  );
}
