import { Modal, Select, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { DATES } from '#strings/language.ts';
import * as text from '#strings/profile/tokens.ts';
import { api } from '../../app/api.ts';
import { useMe } from '../../app/session.ts';
import { DialogForm } from '../../components/forms/DialogForm.tsx';
import { useSend } from '../../components/forms/use-send.ts';
import { KEPT_OPEN } from '../../components/ShownOnce.tsx';
import { type Scope, ScopeSelect, TokenShown } from '../../tokens/scopes/Scopes.tsx';
import { daysFromNow } from '../../tokens/token-state.ts';

/** The personal access tokens of the user, newest first. */
export const personalTokensQuery = queryOptions({
  queryKey: ['profile', 'tokens'],
  queryFn: async ({ signal }) => (await api.get('/profile/tokens', { signal })).result.tokens,
});

const EXPIRIES = [
  { value: '30', label: text.days30 },
  { value: '90', label: text.days90 },
  { value: '365', label: text.days365 },
];
const ALL = '';
const day = new Intl.DateTimeFormat(DATES, { dateStyle: 'long' });

/** A token, and the organization of the example of its use. */
interface Made {
  token: string;
  slug: string;
}

/** Creates a personal access token and shows it. */
export function NewPersonalToken({ opened, onClose }: { opened: boolean; onClose: () => void }) {
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
        {text.validUntil(day.format(daysFromNow(Number(expiry))))}
      </Text>
    </DialogForm>
  );
}
