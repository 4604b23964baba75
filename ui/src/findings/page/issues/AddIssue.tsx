import { Button, Menu, Modal, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import * as text from '#strings/findings/page/issues.tsx';
import { useOrg } from '../../../app/session.ts';
import { showSuccess } from '../../../components/errors/toasts.ts';
import { DialogForm } from '../../../components/forms/DialogForm.tsx';
import { useSend } from '../../../components/forms/use-send.ts';
import { IconPlus } from '../../../icons/icons.ts';
import type { Finding } from '../../finding-queries.ts';
import type { Issue, IssueIntegration } from './queries.ts';
import { useCreateIssue, useRefreshIssues } from './use-create-issue.tsx';

interface Props {
  finding: Finding;
  issues: Issue[];
  /** The trackers of the project. */
  integrations: IssueIntegration[];
}

/**
 * Creates or links an issue, at each tracker of which the finding has none. The button stays when there is no such tracker, so that it
 * keeps the focus.
 */
export function AddIssue({ finding, issues, integrations }: Props) {
  const [linking, setLinking] = useState<IssueIntegration>();
  const create = useCreateIssue(finding);
  const close = () => setLinking(undefined);
  const free = integrations.filter(({ id }) => issues.every(({ integration }) => integration?.id !== id));
  return (
    <>
      <Menu position="bottom-end" disabled={create.isPending}>
        <Menu.Target>
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconPlus size={14} />}
            loading={create.isPending}
            data-print-hidden
          >
            {text.addIssue}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {free.length === 0 && <Menu.Item disabled>{text.hasAll}</Menu.Item>}
          {free.map(({ id, name, kind }) => (
            <Menu.Item key={id} onClick={() => create.ask({ integration_id: id })}>
              {text.createAt(name, kind)}
            </Menu.Item>
          ))}
          {free.map((integration) => (
            <Menu.Item key={`link ${integration.id}`} onClick={() => setLinking(integration)}>
              {text.linkAt(integration.name, integration.kind)}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Modal
        opened={linking !== undefined}
        onClose={close}
        closeOnClickOutside={false}
        title={linking && text.linkIssueOf(linking.name)}
      >
        {linking && <LinkForm id={finding.id} integration={linking} onClose={close} />}
      </Modal>
    </>
  );
}

interface LinkProps {
  id: string;
  integration: IssueIntegration;
  onClose(): void;
}

function LinkForm({ id, integration, onClose }: LinkProps) {
  const org = useOrg();
  const refresh = useRefreshIssues(id);
  const form = useForm({ initialValues: { url: '' } });
  const sending = useSend(form, {
    send: ({ url }) =>
      org.api.post('/findings/{id}/issues', {
        params: { path: { id } },
        body: { integration_id: integration.id, url },
      }),
    async onSent() {
      onClose();
      showSuccess(text.linked);
      await refresh();
    },
  });
  return (
    <DialogForm sending={sending} action={text.link} onCancel={onClose}>
      <TextInput
        label={text.address}
        placeholder={text.addressExamples[integration.kind]}
        type="url"
        maxLength={2_048}
        required
        data-autofocus
        autoComplete="off"
        {...form.getInputProps('url')}
      />
    </DialogForm>
  );
}
