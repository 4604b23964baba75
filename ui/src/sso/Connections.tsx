import { Button, Group, Modal, Select, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import * as text from '#strings/sso.tsx';
import type { Schemas } from '../app/api.ts';
import { useOrg } from '../app/session.ts';
import { Copyable } from '../components/Copy.tsx';
import { useConfirmed } from '../components/dialogs/use-confirmed.ts';
import { showSuccess } from '../components/errors/toasts.ts';
import { DialogForm } from '../components/forms/DialogForm.tsx';
import { PasswordField } from '../components/forms/PasswordField.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { SectionCard } from '../components/SectionCard.tsx';
import { StateBadge } from '../components/StateBadge.tsx';
import { IconPlus } from '../icons/icons.ts';
import { connectionsQuery, renewConnections } from './queries.ts';

type Connection = Schemas['SsoConnection'];
type Role = Connection['role_mapping'][number]['role'];

/** The connections of the organization, for owners. */
export function Connections() {
  const org = useOrg();
  const connections = useQuery(connectionsQuery(org));
  const [adding, { open, close }] = useDisclosure();
  return (
    <SectionCard title={text.singleSignOn} description={text.whatItDoes}>
      <Loaded query={connections}>
        {(list) => (
          <Stack>
            {list.length === 0 && <Text size="sm">{text.noConnections}</Text>}
            {list.map((connection) => (
              <ConnectionRow key={connection.id} connection={connection} />
            ))}
            <Group>
              <Button size="sm" leftSection={<IconPlus size={16} />} onClick={open}>
                {text.addConnection}
              </Button>
            </Group>
          </Stack>
        )}
      </Loaded>
      <Modal opened={adding} onClose={close} title={text.addConnection} closeOnClickOutside={false} size="lg">
        <ConnectionForm onClose={close} />
      </Modal>
    </SectionCard>
  );
}

function ConnectionRow({ connection }: { connection: Connection }) {
  const { id, name, issuer, enabled, require_sso, redirect_uri } = connection;
  const org = useOrg();
  const queries = useQueryClient();
  const [editing, { open, close }] = useDisclosure();
  const params = { path: { id } };
  const test = useMutation({
    mutationFn: () => org.api.post('/settings/connections/{id}/test', { params }),
    onSuccess: ({ result }) => location.assign(result.url),
  });
  const remove = useConfirmed({
    title: text.askDelete(<bdi>{name}</bdi>),
    children: <Text size="sm">{text.whatDeleteDoes}</Text>,
    confirm: text.remove,
    color: 'red',
    mutationFn: () => org.api.delete('/settings/connections/{id}', { params }),
    async onSuccess() {
      showSuccess(text.deleted);
      await renewConnections(queries, org);
    },
  });
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <div style={{ minWidth: 0 }}>
          <Group gap="xs">
            <Text size="sm" fw={500}>
              <bdi>{name}</bdi>
            </Text>
            {!enabled && <StateBadge label={text.isOff} color="gray" />}
            {require_sso && <StateBadge label={text.isRequired} color="orange" />}
          </Group>
          <Text size="xs" c="dimmed">
            <bdi>{issuer}</bdi>
          </Text>
        </div>
        <Group gap="xs">
          <Button size="compact-sm" variant="default" loading={test.isPending} onClick={() => test.mutate()}>
            {text.test}
          </Button>
          <Button size="compact-sm" variant="default" onClick={open}>
            {text.edit}
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
      <div>
        <Text size="xs" c="dimmed">
          {text.redirectUri}
        </Text>
        <Copyable value={redirect_uri} />
      </div>
      <Modal
        opened={editing}
        onClose={close}
        title={text.editConnection}
        closeOnClickOutside={false}
        size="lg"
      >
        <ConnectionForm connection={connection} onClose={close} />
      </Modal>
    </Stack>
  );
}

const isRole = (role: string): role is Role => Object.hasOwn(text.roles, role);

/** Reads lines such as `security = member`. A group may contain the sign itself. */
function parseMapping(lines: string): { mapping: Connection['role_mapping']; wrong: string | undefined } {
  const mapping: Connection['role_mapping'] = [];
  for (const line of lines.split('\n').filter((one) => one.trim() !== '')) {
    const at = line.lastIndexOf('=');
    const group = line.slice(0, at).trim();
    const role = line
      .slice(at + 1)
      .trim()
      .toLowerCase();
    if (at < 0 || group === '' || !isRole(role)) return { mapping, wrong: line.trim() };
    mapping.push({ group, role });
  }
  return { mapping, wrong: undefined };
}

const NO_ACCESS = '';

function ConnectionForm({ connection, onClose }: { connection?: Connection; onClose: () => void }) {
  const org = useOrg();
  const queries = useQueryClient();
  const [values, setValues] = useState({
    name: connection?.name ?? '',
    issuer: connection?.issuer ?? '',
    client_id: connection?.client_id ?? '',
    client_secret: '',
    groups: connection?.claims.groups ?? 'groups',
    domains: connection?.domains.join(', ') ?? '',
    default_role: connection?.default_role ?? NO_ACCESS,
    project_access: connection?.project_access ?? ('all' as const),
    mapping: connection?.role_mapping.map(({ group, role }) => `${group} = ${role}`).join('\n') ?? '',
    enabled: connection?.enabled ?? true,
    require_sso: connection?.require_sso ?? false,
    trust_mfa: connection?.trust_mfa ?? false,
  });
  const change = (changed: Partial<typeof values>) => setValues((before) => ({ ...before, ...changed }));
  const { mapping, wrong } = parseMapping(values.mapping);
  const sending = useMutation({
    async mutationFn() {
      const { client_secret: secret, groups, domains, default_role: role, mapping: _, ...same } = values;
      const body = {
        ...same,
        ...(secret !== '' && { client_secret: secret }),
        claims: { groups },
        domains: domains.split(',').flatMap((one) => (one.trim() === '' ? [] : [one.trim()])),
        default_role: isRole(role) ? role : null,
        role_mapping: mapping,
      };
      if (connection)
        return org.api.patch('/settings/connections/{id}', { params: { path: { id: connection.id } }, body });
      return org.api.post('/settings/connections', { body });
    },
    async onSuccess() {
      onClose();
      showSuccess(text.connectionSaved(values.name));
      await renewConnections(queries, org);
    },
  });
  const field = (key: 'name' | 'issuer' | 'client_id' | 'client_secret' | 'groups' | 'domains') => ({
    value: values[key],
    autoComplete: 'off',
    onChange: ({ currentTarget }: { currentTarget: HTMLInputElement }) =>
      change({ [key]: currentTarget.value }),
  });
  const toggle = (key: 'enabled' | 'require_sso' | 'trust_mfa') => ({
    checked: values[key],
    onChange: ({ currentTarget }: { currentTarget: HTMLInputElement }) =>
      change({ [key]: currentTarget.checked }),
  });
  return (
    <DialogForm
      sending={{ ...sending, submit: sending.mutate, problem: sending.error }}
      action={text.save}
      isReady={values.name !== '' && values.issuer !== '' && values.client_id !== '' && wrong === undefined}
      onCancel={onClose}
    >
      <TextInput label={text.name} maxLength={100} data-autofocus {...field('name')} />
      <TextInput label={text.issuer} description={text.issuerHint} type="url" {...field('issuer')} />
      <TextInput label={text.clientId} {...field('client_id')} />
      <PasswordField
        label={text.clientSecret}
        {...(connection?.has_client_secret && { description: text.keepSecret })}
        {...field('client_secret')}
      />
      <TextInput label={text.domains} description={text.domainsHint} {...field('domains')} />
      <TextInput label={text.groupsClaim} {...field('groups')} />
      <Textarea
        label={text.mapping}
        description={text.mappingHint}
        autosize
        minRows={2}
        value={values.mapping}
        error={wrong !== undefined && text.mappingWrong(wrong)}
        onChange={({ currentTarget }) => change({ mapping: currentTarget.value })}
      />
      <Select
        label={text.defaultRole}
        allowDeselect={false}
        data={[
          { value: NO_ACCESS, label: text.noAccess },
          ...Object.entries(text.roles).map(([value, label]) => ({ value, label })),
        ]}
        value={values.default_role}
        onChange={(value) => change({ default_role: value ?? NO_ACCESS })}
      />
      <Select
        label={text.accessOfJoining}
        description={text.accessOfJoiningHint}
        allowDeselect={false}
        data={Object.entries(text.projectAccess).map(([value, label]) => ({ value, label }))}
        value={values.project_access}
        onChange={(value) => change({ project_access: value === 'assigned' ? 'assigned' : 'all' })}
      />
      <Switch label={text.enabled} description={text.enabledHint} {...toggle('enabled')} />
      <Switch label={text.requireSso} description={text.requireHint} {...toggle('require_sso')} />
      <Switch label={text.trustMfa} {...toggle('trust_mfa')} />
    </DialogForm>
  );
}
