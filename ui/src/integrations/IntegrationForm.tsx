import { Anchor, Modal, MultiSelect, Select, Switch, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import * as text from '#strings/integrations.tsx';
import { SEVERITIES, type Severity } from '../app/search.ts';
import { useOrg } from '../app/session.ts';
import { showSuccess } from '../components/errors/toasts.ts';
import { DialogForm } from '../components/forms/DialogForm.tsx';
import { useSend } from '../components/forms/use-send.ts';
import { SEVERITY_NAMES } from '../findings/Severity.tsx';
import { projectsQuery } from '../projects/queries.ts';
import { type Integration, integrationsQuery } from './queries.ts';

interface Props {
  /** Unset: a new one. */
  integration?: Integration;
  onClose: () => void;
}

/** Adds or edits an integration. */
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

type Kind = Integration['kind'];

const KINDS = (Object.keys(text.services) as Kind[]).map((value) => ({ value, label: text.services[value] }));
const ANY = '';
const orNull = (ids: string[]) => (ids.length > 0 ? ids : null);

function IntegrationForm({ integration, onClose }: Props) {
  const org = useOrg();
  const queries = useQueryClient();
  const projects = (useQuery(projectsQuery(org)).data ?? []).map(({ id, name }) => ({
    value: id,
    label: name,
  }));
  const form = useForm({
    initialValues: {
      kind: integration?.kind ?? 'slack',
      name: integration?.name ?? '',
      url: '',
      project_ids: integration?.project_ids ?? [],
      muted_project_ids: integration?.muted_project_ids ?? [],
      min_severity: integration?.min_severity ?? ANY,
      enabled: integration?.enabled ?? true,
    },
  });
  const { kind } = form.values;
  const { hint, href } = text.help[kind];
  const sending = useSend(form, {
    async send({ kind, url, project_ids, muted_project_ids, min_severity, ...same }) {
      const choices = {
        ...same,
        project_ids: orNull(project_ids),
        muted_project_ids: orNull(muted_project_ids),
        min_severity: min_severity === ANY ? null : (min_severity as Severity),
      };
      if (!integration) return await org.api.post('/integrations', { body: { kind, url, ...choices } });
      const params = { path: { id: integration.id } };
      const body = { ...choices, ...(url !== '' && { url }) };
      return await org.api.patch('/integrations/{id}', { params, body });
    },
    async onSent() {
      onClose();
      showSuccess(text.saved);
      await queries.invalidateQueries(integrationsQuery(org));
    },
  });
  return (
    <DialogForm sending={sending} action={text.save} onCancel={onClose}>
      {!integration && (
        <Select label={text.service} allowDeselect={false} data={KINDS} {...form.getInputProps('kind')} />
      )}
      <Text size="sm">
        {hint}{' '}
        <Anchor href={href} target="_blank" rel="noopener noreferrer" inherit>
          {text.instructions(text.services[kind])}
        </Anchor>
      </Text>
      <TextInput
        label={text.name}
        placeholder={text.nameExample}
        maxLength={100}
        required
        data-autofocus
        autoComplete="off"
        {...form.getInputProps('name')}
      />
      <TextInput
        label={text.url}
        description={integration ? text.urlKept : text.urlHint}
        placeholder={text.urlExample(integration?.host ?? text.hosts[kind])}
        type="url"
        maxLength={2_048}
        required={!integration}
        autoComplete="off"
        {...form.getInputProps('url')}
      />
      <MultiSelect
        label={text.projects}
        placeholder={form.values.project_ids.length === 0 ? text.allProjects : ''}
        data={projects}
        searchable
        {...form.getInputProps('project_ids')}
      />
      <MultiSelect
        label={text.muted}
        placeholder={form.values.muted_project_ids.length === 0 ? text.noProjects : ''}
        data={projects}
        searchable
        {...form.getInputProps('muted_project_ids')}
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
