import { Modal, MultiSelect, Select, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import * as text from '#strings/integrations.tsx';
import { reasons } from '#strings/webhooks.tsx';
import { useOrg } from '../app/session.ts';
import { showSuccess } from '../components/errors/toasts.ts';
import { DialogForm } from '../components/forms/DialogForm.tsx';
import { useSend } from '../components/forms/use-send.ts';
import { projectsQuery } from '../projects/queries.ts';
import { ChatAddress, ChatFilters } from './ChatFields.tsx';
import { integrationsQuery } from './queries.ts';
import { TrackerAccess, TrackerIssues } from './TrackerFields.tsx';
import {
  addressOf,
  type Integration,
  isChat,
  isJiraCloud,
  isTrackerKind,
  type Kind,
  toChanges,
  toNew,
  valuesOf,
} from './values.ts';

interface Props {
  /** Unset: a new one. */
  integration?: Integration;
  onClose: () => void;
}

/** Adds or edits an integration with a chat service or an issue tracker. */
export const IntegrationDialog = ({ opened, ...props }: Props & { opened: boolean }) => (
  <Modal
    opened={opened}
    onClose={props.onClose}
    closeOnClickOutside={false}
    size="lg"
    title={props.integration ? text.editIntegration : text.addIntegration}
  >
    <IntegrationForm {...props} />
  </Modal>
);

const itemsOf = (kinds: object) =>
  (Object.keys(kinds) as Kind[]).map((value) => ({ value, label: text.services[value] }));
const KINDS = [
  { group: text.chatServices, items: itemsOf(text.help) },
  { group: text.issueTrackers, items: itemsOf(text.trackers) },
];

function IntegrationForm({ integration, onClose }: Props) {
  const org = useOrg();
  const queries = useQueryClient();
  const projects = (useQuery(projectsQuery(org)).data ?? []).map(({ id, name }) => ({
    value: id,
    label: name,
  }));
  const chat = integration && isChat(integration) ? integration : undefined;
  const tracker = integration && !isChat(integration) ? integration : undefined;
  const form = useForm({
    initialValues: valuesOf(integration),
    validate: {
      email: (email, { kind, url }) =>
        kind === 'jira' && email.trim() === '' && (isJiraCloud(url) || tracker?.email !== undefined)
          ? text.emailIsNeeded
          : null,
    },
  });
  const { kind, project_ids } = form.values;
  const choose = (next: Kind) => {
    form.clearErrors();
    form.setValues({ kind: next, url: addressOf(next) });
  };
  const sending = useSend(form, {
    send: async (values) =>
      integration
        ? await org.api.patch('/integrations/{id}', {
            params: { path: { id: integration.id } },
            body: toChanges(integration, values),
          })
        : await org.api.post('/integrations', { body: toNew(values) }),
    async onSent() {
      onClose();
      showSuccess(text.saved);
      await queries.invalidateQueries(integrationsQuery(org));
    },
  });
  const isTracker = isTrackerKind(kind);
  return (
    <DialogForm sending={sending} action={text.save} onCancel={onClose}>
      {!integration && (
        <Select
          label={text.service}
          allowDeselect={false}
          data={KINDS}
          {...form.getInputProps('kind')}
          onChange={(value) => value !== null && choose(value as Kind)}
        />
      )}
      <TextInput
        label={text.name}
        placeholder={isTracker ? text.trackerNameExample : text.nameExample}
        maxLength={100}
        required
        data-autofocus
        autoComplete="off"
        {...form.getInputProps('name')}
      />
      {isTracker ? (
        <>
          <TrackerAccess form={form} kind={kind} integration={tracker} />
          <TrackerIssues form={form} kind={kind} />
        </>
      ) : (
        <ChatAddress form={form} kind={kind} integration={chat} />
      )}
      <MultiSelect
        label={text.projects}
        {...(isTracker && { description: text.projectsHint })}
        placeholder={project_ids.length === 0 ? text.allProjects : ''}
        data={projects}
        searchable
        {...form.getInputProps('project_ids')}
      />
      {!isTracker && <ChatFilters form={form} projects={projects} />}
      <Switch
        label={text.enabled}
        {...(integration?.disabled_reason && { description: reasons[integration.disabled_reason] })}
        {...form.getInputProps('enabled', { type: 'checkbox' })}
      />
    </DialogForm>
  );
}
