import { Modal, Select, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import * as text from '#strings/tokens/new-token.tsx';
import { useOrg } from '../app/session.ts';
import { DaysInput, daysProblem } from '../components/forms/DaysInput.tsx';
import { DialogForm } from '../components/forms/DialogForm.tsx';
import { useSend } from '../components/forms/use-send.ts';
import { KEPT_OPEN } from '../components/ShownOnce.tsx';
import { dayOf } from '../components/time/dates.ts';
import { tokensKey } from './queries.ts';
import { type Scope, ScopeSelect, TokenShown } from './scopes/Scopes.tsx';
import { daysFromNow } from './token-state.ts';

const EXPIRIES = [
  { value: '30', label: text.days(30) },
  { value: '90', label: text.days(90) },
  { value: '365', label: text.oneYear },
  { value: '0', label: text.never },
  { value: 'own', label: text.custom },
];
const MAX_DAYS = 36_500;
const OF_PROJECTS = ['ingest', 'read', 'triage'] as const;
const OF_ORGS = [...OF_PROJECTS, 'admin'] as const;

interface Props {
  opened: boolean;
  /** The project of the token; omitted for an org-wide token. */
  project?: { id: string; name: string };
  onClose: () => void;
  /** Called with the token, which the service never returns again. */
  onCreated?: (token: string) => void;
}

/** Creates a token and shows it. */
export function NewToken({ opened, project, onClose, onCreated }: Props) {
  const [token, setToken] = useState<string>();
  const [scope, setScope] = useState<Scope>('ingest');
  const { slug } = useOrg();
  const title = project ? text.newTokenFor(<bdi>{project.name}</bdi>) : text.newOrgWideToken;
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      onExitTransitionEnd={() => {
        setToken(undefined);
        setScope('ingest');
      }}
      size="lg"
      title={token === undefined ? title : text.yourNewToken}
      {...(token !== undefined && KEPT_OPEN)}
    >
      {token === undefined ? (
        <TokenForm
          projectId={project?.id}
          onCancel={onClose}
          scope={scope}
          setScope={setScope}
          onCreated={(made) => {
            setToken(made);
            onCreated?.(made);
          }}
        />
      ) : (
        <TokenShown token={token} slug={scope === 'ingest' ? undefined : slug} onClose={onClose} />
      )}
    </Modal>
  );
}

function TokenForm(props: {
  projectId: string | undefined;
  scope: Scope;
  setScope: (scope: Scope) => void;
  onCancel: () => void;
  onCreated: (token: string) => void;
}) {
  const { projectId, scope, setScope, onCancel, onCreated } = props;
  const org = useOrg();
  const queries = useQueryClient();
  const form = useForm({
    initialValues: { name: '', expiry: '90', expires_in: 180 as number | string },
    validate: {
      name: (name) => (name.trim() === '' ? text.enterName : null),
      expires_in: (days, { expiry }) => (expiry === 'own' ? daysProblem(days, MAX_DAYS) : null),
    },
  });
  const { expiry, expires_in } = form.values;
  const days = Number(expiry === 'own' ? expires_in : expiry);
  const make = useSend(form, {
    send: async ({ name }) => {
      const body = { name: name.trim(), expires_in: days };
      if (projectId === undefined)
        return (await org.api.post('/tokens', { body: { ...body, scopes: [scope] } })).result;
      const scopes = OF_PROJECTS.filter((one) => one === scope);
      const path = { projectId };
      return (
        await org.api.post('/projects/{projectId}/tokens', { params: { path }, body: { ...body, scopes } })
      ).result;
    },
    onSent: async ({ token }) => {
      onCreated(token);
      await queries.invalidateQueries({ queryKey: tokensKey(org) });
    },
  });
  return (
    <DialogForm sending={make} action={text.createToken} onCancel={onCancel}>
      <TextInput
        label={text.name}
        description={text.whereUsed}
        placeholder={text.exampleOfName}
        maxLength={100}
        required
        data-autofocus
        autoComplete="off"
        {...form.getInputProps('name')}
      />
      <ScopeSelect
        scopes={projectId === undefined ? OF_ORGS : OF_PROJECTS}
        value={scope}
        onChange={setScope}
      />
      <Select
        label={text.expiresAfter}
        data={EXPIRIES}
        allowDeselect={false}
        {...form.getInputProps('expiry')}
      />
      {expiry === 'own' && (
        <DaysInput label={text.customDays} suffix="" max={MAX_DAYS} {...form.getInputProps('expires_in')} />
      )}
      <Text size="sm" c="dimmed" aria-live="polite">
        {days > 0 && days <= MAX_DAYS
          ? text.validUntil(dayOf(daysFromNow(days)))
          : days === 0
            ? text.validUntilRevoked
            : ''}
      </Text>
    </DialogForm>
  );
}
