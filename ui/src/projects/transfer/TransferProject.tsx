import { Button, Group, List, Progress, Select, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouteContext } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import * as text from '#strings/projects/transfer.tsx';
import { type Schemas, ServiceError } from '../../app/api.ts';
import { useMe, useOrg } from '../../app/session.ts';
import { useAction } from '../../components/dialogs/use-confirmed.ts';
import { Empty } from '../../components/Empty.tsx';
import { showSuccess } from '../../components/errors/toasts.ts';
import { Page } from '../../components/Page.tsx';
import { SectionCard } from '../../components/SectionCard.tsx';
import { TypedConfirmation } from '../../deletion/TypedConfirmation.tsx';
import { IconCheck } from '../../icons/icons.ts';
import { refreshFindings } from '../../triage/cache.ts';
import { projectQuery, projectsQuery, transferQuery } from '../queries.ts';

type Transfer = Schemas['ProjectTransfer'];

interface Props {
  project: Schemas['Project'];
  /** Called when the project is in the other organization. */
  onDone(transfer: Transfer): void;
}

/** Transfers a project to another organization of the user, after its slug was typed. For owners. */
export function TransferProject(props: Props) {
  return useOrg().may('startProjectTransfer') ? <Transfer {...props} /> : null;
}

function Transfer({ project, onDone }: Props) {
  const { id, slug } = project;
  const org = useOrg();
  const owned = useMe().orgs.filter((one) => one.role === 'owner' && one.slug !== org.org.slug);
  const queries = useQueryClient();
  const [opened, { open, close }] = useDisclosure();
  const { data: transfer } = useQuery(transferQuery(org, project));
  const end = async (ended: Transfer) => {
    for (const one of [id, slug]) queries.removeQueries({ queryKey: projectQuery(org, one).queryKey });
    onDone(ended);
    await Promise.all([
      queries.invalidateQueries({ queryKey: projectsQuery(org).queryKey, exact: true }),
      refreshFindings(queries, org),
    ]);
  };
  useEnd(id, transfer, end);
  return (
    <SectionCard
      title={text.transferProject}
      description={
        <>
          {text.whatTransferDoes} {owned.length === 0 && text.noOtherOrg}
        </>
      }
    >
      {transfer ? (
        <TransferProgress transfer={transfer} />
      ) : (
        <Group>
          <Button variant="default" size="sm" onClick={open} disabled={owned.length === 0}>
            {text.transferProjectAsk}
          </Button>
        </Group>
      )}
      <TransferDialog
        opened={opened}
        onClose={close}
        project={project}
        orgs={owned}
        onStarted={async (started) => {
          close();
          if (started.state === 'done') return await end(started);
          queries.setQueryData(transferQuery(org, project).queryKey, started);
        }}
      />
    </SectionCard>
  );
}

/** Finds out how a transfer that was shown has ended: a project that is not found has moved. */
function useEnd(
  id: string,
  transfer: Transfer | null | undefined,
  onMoved: (transfer: Transfer) => Promise<void>,
) {
  const org = useOrg();
  const shown = useRef<Transfer>(undefined);
  useEffect(() => {
    const before = shown.current;
    shown.current = transfer ?? undefined;
    if (transfer !== null || !before) return;
    org.api.get('/projects/{slug}', { params: { path: { slug: id } } }).catch(async (error) => {
      if (error instanceof ServiceError && error.status === 404) await onMoved(before);
    });
  });
}

/** How far a transfer is, and the button that cancels it. */
function TransferProgress({ transfer }: { transfer: Schemas['ProjectTransfer'] }) {
  const { project_id: id, organization, state, copied, findings } = transfer;
  const org = useOrg();
  const queries = useQueryClient();
  const cancel = useAction({
    mutationFn: () => org.api.delete('/projects/{slug}/transfer', { params: { path: { slug: id } } }),
    onSuccess: () => showSuccess(text.transferCancelled),
    onSettled: () => queries.invalidateQueries({ queryKey: transferQuery(org, { id }).queryKey }),
  });
  const steps = { waiting: text.waiting, cancelling: text.cancelling };
  return (
    <Stack gap="xs" maw="44rem">
      <Text size="sm">
        {text.transferTo(<bdi>{organization.name}</bdi>)} {text.noChangesMeanwhile}
      </Text>
      <Progress value={findings === 0 ? 0 : (100 * copied) / findings} animated aria-label={text.progress} />
      <Text size="sm" c="dimmed" role="status">
        {state === 'waiting' || state === 'cancelling' ? steps[state] : text.copiedOf(copied, findings)}
      </Text>
      <Group>
        <Button
          variant="default"
          size="sm"
          onClick={() => cancel.mutate()}
          loading={cancel.isPending}
          disabled={state === 'cancelling'}
        >
          {text.cancelTransfer}
        </Button>
      </Group>
    </Stack>
  );
}

/** The page of a project that is in another organization by now. */
export function Transferred({ transfer }: { transfer: Schemas['ProjectTransfer'] }) {
  const { organization, slug } = transfer;
  const site = useRouteContext({ from: '__root__', select: ({ site }) => site });
  return (
    <Page title={text.transferred}>
      <Empty icon={<IconCheck />} title={text.isThere(organization.name)}>
        <Stack align="center">
          {text.newTokens}
          {site.reaches(organization.slug) && (
            <Button component="a" href={site.orgUrl(organization.slug, `/projects/${slug}`)} size="sm">
              {text.openThere}
            </Button>
          )}
        </Stack>
      </Empty>
    </Page>
  );
}

interface DialogProps {
  opened: boolean;
  onClose(): void;
  project: Schemas['Project'];
  /** The organizations to choose from. */
  orgs: readonly { slug: string; name: string }[];
  onStarted(transfer: Schemas['ProjectTransfer']): Promise<void>;
}

const MAX_SLUG = 50;

/** Asks where to transfer a project, and to type its slug. */
function TransferDialog({ opened, onClose, project, orgs, onStarted }: DialogProps) {
  const { id, name, slug } = project;
  const org = useOrg();
  const [target, setTarget] = useState<string | null>(null);
  const [newSlug, setNewSlug] = useState(slug);
  const transfer = async () => {
    if (target === null) return;
    const { result } = await org.api.post('/projects/{slug}/transfer', {
      params: { path: { slug: id } },
      body: { organization: target, confirm: slug, slug: newSlug.trim() || slug },
    });
    await onStarted(result);
  };
  return (
    <TypedConfirmation
      opened={opened}
      onClose={onClose}
      title={<bdi>{text.transferThisProject(name)}</bdi>}
      word={slug}
      label={text.transferProject}
      deletes={false}
      isReady={target !== null}
      onConfirm={transfer}
      fields={
        <>
          <Select
            label={text.organization}
            placeholder={text.chooseOrg}
            data={orgs.map((one) => ({ value: one.slug, label: text.orgChoice(one.name, one.slug) }))}
            value={target}
            onChange={setTarget}
            allowDeselect={false}
            searchable={orgs.length > 9}
            data-autofocus
          />
          <TextInput
            label={text.newSlug}
            description={text.whyNewSlug}
            value={newSlug}
            onChange={(event) => setNewSlug(event.currentTarget.value)}
            maxLength={MAX_SLUG}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
          />
        </>
      }
    >
      <List size="sm" spacing={4}>
        {text.consequences.map((one) => (
          <List.Item key={one}>{one}</List.Item>
        ))}
      </List>
    </TypedConfirmation>
  );
}
