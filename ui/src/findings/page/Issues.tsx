import { Anchor, Button, Group, Menu, Modal, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import * as text from '#strings/findings/page/issues.tsx';
import { opensNewWindow } from '#strings/findings/page.tsx';
import { ServiceError } from '../../app/api.ts';
import { useOrg } from '../../app/session.ts';
import { ActionMenu } from '../../components/ActionMenu.tsx';
import { openConfirm } from '../../components/dialogs/confirm.ts';
import { useAction, useConfirmed } from '../../components/dialogs/use-confirmed.ts';
import { showError, showSuccess } from '../../components/errors/toasts.ts';
import { DialogForm } from '../../components/forms/DialogForm.tsx';
import { useSend } from '../../components/forms/use-send.ts';
import { Loaded } from '../../components/Loaded.tsx';
import { StateBadge } from '../../components/StateBadge.tsx';
import { Ago } from '../../components/time/Time.tsx';
import { IconExternalLink } from '../../icons/icons.ts';
import { useMayIn } from '../../projects/allowed-projects.ts';
import { type Finding, type Issue, type IssueIntegration, issuesQuery } from '../finding-queries.ts';
import classes from './Finding.module.css';

/** The issues of a finding at issue trackers. Nothing if it has none and can get none. */
export function Issues({ finding: { id, project_id } }: { finding: Finding }) {
  const query = useQuery(issuesQuery(useOrg(), id));
  const mayChange = useMayIn('createIssue', project_id);
  if (query.isPending || (query.data && query.data.issues.length + query.data.integrations.length === 0))
    return null;
  return (
    <section aria-labelledby="issues">
      <Group justify="space-between" mb="xs" wrap="nowrap">
        <Title order={2} id="issues">
          {text.issues}
        </Title>
        {mayChange && query.data && <NewIssue id={id} {...query.data} />}
      </Group>
      <Loaded query={query}>
        {({ issues }) =>
          issues.length === 0 ? (
            <Text size="sm" c="dimmed">
              {text.noIssue}
            </Text>
          ) : (
            <ul className={classes.refs}>
              {issues.map((issue) => (
                <li key={issue.id}>
                  <IssueEntry findingId={id} issue={issue} mayChange={mayChange ?? false} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
}

const COLORS = { pending: 'gray', open: 'blue', closed: 'green', gone: 'orange', failed: 'red' } as const;

interface EntryProps {
  findingId: string;
  issue: Issue;
  mayChange: boolean;
}

function IssueEntry({ findingId, issue, mayChange }: EntryProps) {
  const { id, integration, key, url, state, status, reason, finding_count, checked_at } = issue;
  const name = text.nameOf(key, integration?.name);
  const org = useOrg();
  const refresh = useRefresh(findingId);
  const unlink = useConfirmed({
    title: text.askUnlink,
    children: <Text size="sm">{text.whatUnlinkingDoes}</Text>,
    confirm: text.unlink,
    color: 'red',
    mutationFn: () =>
      org.api.delete('/findings/{id}/issues/{issueId}', { params: { path: { id: findingId, issueId: id } } }),
    async onSuccess() {
      showSuccess(text.unlinked);
      await refresh();
    },
  });
  return (
    <>
      <Group gap="xs" justify="space-between" wrap="nowrap">
        <Text size="sm" style={{ minWidth: 0 }}>
          {url === undefined ? (
            <bdi>{name}</bdi>
          ) : (
            <Anchor href={url} target="_blank" rel="noopener noreferrer" inherit>
              <bdi>{name}</bdi> <IconExternalLink size={12} role="img" aria-label={opensNewWindow} />
            </Anchor>
          )}
        </Text>
        <StateBadge label={text.states[state]} color={COLORS[state]} />
      </Group>
      {status !== undefined && (
        <Text size="xs" c="dimmed">
          {text.statusThere(status)}
        </Text>
      )}
      {reason !== undefined && <Text size="xs">{text.whyNothing(reason)}</Text>}
      {finding_count > 1 && (
        <Text size="xs" c="dimmed">
          {text.sharedBy(finding_count)}
        </Text>
      )}
      <Group gap="xs" justify="space-between">
        <Text size="xs" c="dimmed">
          {checked_at !== undefined && text.checked(<Ago time={checked_at} />)}
        </Text>
        {mayChange && (
          <Button
            size="compact-xs"
            variant="subtle"
            color="gray"
            aria-label={text.unlinkIssue(name)}
            loading={unlink.isPending}
            onClick={unlink.ask}
          >
            {text.unlink}
          </Button>
        )}
      </Group>
    </>
  );
}

/** The actions that give a finding an issue: of each integration of which it has none. */
function NewIssue({ id, issues, integrations }: { id: string } & IssueData) {
  const [linking, setLinking] = useState<IssueIntegration>();
  const org = useOrg();
  const refresh = useRefresh(id);
  const create = useAction({
    mutationFn: ({ integration, force }: { integration: string; force: boolean }) =>
      org.api.post('/findings/{id}/issues', {
        params: { path: { id } },
        body: { integration_id: integration, force },
      }),
    async onSuccess() {
      showSuccess(text.created);
      await refresh();
    },
    onError(error, { integration, force }) {
      // A finding that should have none, such as a duplicate.
      if (force || !(error instanceof ServiceError) || error.status !== 409) return showError(error);
      openConfirm({
        title: text.askForce,
        children: <Text size="sm">{error.message}</Text>,
        confirm: text.createAnyway,
        onConfirm: () => create.mutate({ integration, force: true }),
      });
    },
  });
  const isFree = (integration: IssueIntegration) =>
    issues.every((issue) => issue.integration?.id !== integration.id || issue.state === 'failed');
  const free = integrations.filter(isFree);
  if (free.length === 0) return null;
  return (
    <>
      <ActionMenu label={text.actions} isBusy={create.isPending}>
        {free.map((integration) => (
          <Menu.Item
            key={integration.id}
            onClick={() => create.mutate({ integration: integration.id, force: false })}
          >
            {text.createAt(integration.name)}
          </Menu.Item>
        ))}
        {free.map((integration) => (
          <Menu.Item key={`link ${integration.id}`} onClick={() => setLinking(integration)}>
            {text.linkAt(integration.name)}
          </Menu.Item>
        ))}
      </ActionMenu>
      <Modal opened={linking !== undefined} onClose={() => setLinking(undefined)} title={text.linkIssue}>
        {linking && <LinkForm id={id} integration={linking} onClose={() => setLinking(undefined)} />}
      </Modal>
    </>
  );
}

type IssueData = { issues: Issue[]; integrations: IssueIntegration[] };

interface LinkProps {
  id: string;
  integration: IssueIntegration;
  onClose(): void;
}

function LinkForm({ id, integration, onClose }: LinkProps) {
  const org = useOrg();
  const refresh = useRefresh(id);
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

function useRefresh(id: string): () => Promise<void> {
  const org = useOrg();
  const queries = useQueryClient();
  return () => queries.invalidateQueries(issuesQuery(org, id));
}
