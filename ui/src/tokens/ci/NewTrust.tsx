import { Select, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import * as text from '#strings/tokens/ci.tsx';
import { useOrg } from '../../app/session.ts';
import { DialogForm } from '../../components/forms/DialogForm.tsx';
import { useSend } from '../../components/forms/use-send.ts';
import { tokensKey } from '../queries.ts';
import { SYSTEMS, type System, type SystemName } from './systems.ts';

const OPTIONS = Object.entries(text.names).map(([value, label]) => ({ value, label }));

/** The form of a CI system that may send findings to a project. */
export function NewTrust({ projectId, onClose }: { projectId: string; onClose: () => void }) {
  const org = useOrg();
  const queries = useQueryClient();
  const form = useForm({
    initialValues: {
      system: 'github' as SystemName,
      ...{ issuer: '', organization: '', claims: '', ref: '', environment: '' },
    },
    validate: {
      issuer: (issuer, { system }) =>
        systemOf(system).issuer === undefined && issuer.trim() === '' ? text.enterIssuer : null,
      organization: (id, { system }) =>
        systemOf(system).hasOrganization && id.trim() === '' ? text.enterId : null,
      claims: (id) => (id.trim() === '' ? text.enterId : null),
    },
  });
  const system = systemOf(form.values.system);
  const add = useSend(form, {
    send: (values) => {
      const given = {
        [system.id.claim]: values.claims,
        [system.ref.claim]: values.ref,
        ...(system.hasEnvironment && { environment: values.environment }),
      };
      const claims = Object.entries(given).flatMap(([name, value]) =>
        value.trim() === '' ? [] : [[name, value.trim()]],
      );
      const issuer = system.issuer ?? values.issuer.trim();
      return org.api.post('/projects/{projectId}/ci-trusts', {
        params: { path: { projectId } },
        body: {
          issuer: system.hasOrganization ? issuer + values.organization.trim() : issuer,
          claims: Object.fromEntries(claims),
        },
      });
    },
    async onSent() {
      onClose();
      await queries.invalidateQueries({ queryKey: tokensKey(org) });
    },
  });
  const field = (name: 'issuer' | 'organization' | 'claims' | 'ref' | 'environment') => ({
    autoComplete: 'off',
    ...form.getInputProps(name),
  });
  return (
    <DialogForm sending={add} action={text.add} onCancel={onClose}>
      <Select
        label={text.system}
        data={OPTIONS}
        allowDeselect={false}
        data-autofocus
        {...form.getInputProps('system')}
      />
      {system.issuer === undefined && (
        <TextInput
          label={text.issuer}
          description={system.issuerHint}
          type="url"
          required
          {...field('issuer')}
        />
      )}
      {system.hasOrganization && (
        <TextInput
          label={text.organizationId}
          description={text.whereOrganizationId}
          required
          {...field('organization')}
        />
      )}
      <TextInput label={system.id.label} description={system.id.hint} required {...field('claims')} />
      <TextInput label={text.ref} description={system.ref.hint} {...field('ref')} />
      {system.hasEnvironment && (
        <TextInput label={text.environment} description={text.whatEnvironment} {...field('environment')} />
      )}
    </DialogForm>
  );
}

const systemOf = (name: SystemName): System => SYSTEMS[name];
