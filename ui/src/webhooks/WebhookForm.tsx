import {
  Checkbox,
  Modal,
  MultiSelect,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  TextInput,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import * as text from '#strings/webhooks.tsx';
import { SEVERITIES, type Severity } from '../app/search.ts';
import { useOrg } from '../app/session.ts';
import { Copyable } from '../components/Copy.tsx';
import { showSuccess } from '../components/errors/toasts.ts';
import { DialogForm } from '../components/forms/DialogForm.tsx';
import { useSend } from '../components/forms/use-send.ts';
import { KEPT_OPEN, ShownOnce } from '../components/ShownOnce.tsx';
import { SEVERITY_NAMES } from '../findings/Severity.tsx';
import { projectsQuery } from '../projects/queries.ts';
import { type Webhook, webhooksQuery } from './queries.ts';

type EventName = Webhook['events'][number];

const EVENTS = Object.entries(text.eventNames) as [EventName, string][];
const FIRST_EVENTS: EventName[] = ['scan.completed', 'scan.failed'];

interface Props {
  opened: boolean;
  /** Unset: a new one. */
  webhook?: Webhook;
  onClose: () => void;
}

/** Adds a webhook, and shows its secret, or edits one. */
export function WebhookDialog({ opened, webhook, onClose }: Props) {
  const [secret, setSecret] = useState<string>();
  const title = webhook ? text.editWebhook : text.addWebhook;
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      onExitTransitionEnd={() => setSecret(undefined)}
      closeOnClickOutside={false}
      size="lg"
      title={secret === undefined ? title : text.secretTitle}
      {...(secret !== undefined && KEPT_OPEN)}
    >
      {secret === undefined ? (
        <WebhookForm {...(webhook && { webhook })} onClose={onClose} onCreated={setSecret} />
      ) : (
        <SecretShown secret={secret} onClose={onClose} />
      )}
    </Modal>
  );
}

/** A secret, which the service never returns again. */
export const SecretShown = ({ secret, onClose }: { secret: string; onClose: () => void }) => (
  <ShownOnce warning={text.secretShownOnce} saved={text.secretSaved} onClose={onClose}>
    <Stack gap={4}>
      <Text size="sm" fw={500}>
        {text.secret}
      </Text>
      <Copyable value={secret} label={text.copySecret} />
    </Stack>
  </ShownOnce>
);

const ANY = '';

function WebhookForm({
  webhook,
  onClose,
  onCreated,
}: Omit<Props, 'opened'> & { onCreated: (secret: string) => void }) {
  const org = useOrg();
  const queries = useQueryClient();
  const projects = useQuery(projectsQuery(org)).data ?? [];
  const form = useForm({
    initialValues: {
      url: webhook?.url ?? '',
      events: webhook?.events ?? FIRST_EVENTS,
      project_ids: webhook?.project_ids ?? [],
      min_severity: webhook?.min_severity ?? ANY,
      enabled: webhook?.enabled ?? true,
    },
    validate: { events: (events) => (events.length === 0 ? text.chooseEvents : null) },
  });
  const sending = useSend(form, {
    async send({ project_ids, min_severity, ...same }) {
      const body = {
        ...same,
        project_ids: project_ids.length > 0 ? project_ids : null,
        min_severity: min_severity === ANY ? null : (min_severity as Severity),
      };
      if (!webhook) return (await org.api.post('/webhooks', { body })).result.secret;
      await org.api.patch('/webhooks/{id}', { params: { path: { id: webhook.id } }, body });
      return undefined;
    },
    async onSent(secret) {
      if (secret === undefined) {
        onClose();
        showSuccess(text.saved);
      } else {
        onCreated(secret);
      }
      await queries.invalidateQueries(webhooksQuery(org));
    },
  });
  return (
    <DialogForm sending={sending} action={text.save} onCancel={onClose}>
      <TextInput
        label={text.url}
        description={text.urlHint}
        placeholder={text.urlExample}
        type="url"
        maxLength={2_048}
        required
        data-autofocus
        autoComplete="off"
        {...form.getInputProps('url')}
      />
      <Checkbox.Group label={text.events} {...form.getInputProps('events')}>
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs" mt={4}>
          {EVENTS.map(([value, label]) => (
            <Checkbox key={value} value={value} label={label} description={text.eventHints[value]} />
          ))}
        </SimpleGrid>
      </Checkbox.Group>
      <MultiSelect
        label={text.projects}
        description={text.projectsHint}
        placeholder={form.values.project_ids.length === 0 ? text.allProjects : ''}
        data={projects.map(({ id, name }) => ({ value: id, label: name }))}
        searchable
        {...form.getInputProps('project_ids')}
      />
      <Select
        label={text.minSeverity}
        description={text.minSeverityHint}
        allowDeselect={false}
        data={[
          { value: ANY, label: text.anySeverity },
          ...SEVERITIES.map((value) => ({ value, label: SEVERITY_NAMES[value] })),
        ]}
        {...form.getInputProps('min_severity')}
      />
      <Switch label={text.enabled} {...form.getInputProps('enabled', { type: 'checkbox' })} />
    </DialogForm>
  );
}
