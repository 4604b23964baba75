import {
  ActionIcon,
  Button,
  Card,
  Code,
  Group,
  Modal,
  Stack,
  Table,
  Text,
  VisuallyHidden,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import * as text from '#strings/tokens/ci.tsx';
import type { Schemas } from '../../app/api.ts';
import { useOrg } from '../../app/session.ts';
import { useConfirmed } from '../../components/dialogs/use-confirmed.ts';
import { Empty } from '../../components/Empty.tsx';
import { showSuccess } from '../../components/errors/toasts.ts';
import { Tip } from '../../components/floating/Tip.tsx';
import { Loaded } from '../../components/Loaded.tsx';
import { SectionHead } from '../../components/SectionHead.tsx';
import { Ago } from '../../components/time/Time.tsx';
import { IconKey, IconPlus, IconTrash } from '../../icons/icons.ts';
import { ciTrustsQuery, tokensKey } from '../queries.ts';
import { NewTrust } from './NewTrust.tsx';

type Trust = Schemas['CiTrust'];

/** The CI systems whose jobs send findings to a project without a token. */
export function CiTrusts({ project }: { project: Schemas['Project'] }) {
  const org = useOrg();
  const { id: projectId } = project;
  const trusts = useQuery(ciTrustsQuery(org, projectId));
  const [opened, { open, close }] = useDisclosure();
  return (
    <Card withBorder component="section" aria-labelledby="ci">
      <Stack>
        <Group justify="space-between">
          <SectionHead title={text.ciWithoutKeys} description={text.howItWorks} id="ci" />
          {org.may('createCiTrust', project) && (
            <Button size="sm" variant="default" leftSection={<IconPlus size={16} />} onClick={open}>
              {text.addSystem}
            </Button>
          )}
        </Group>
        <Loaded query={trusts}>
          {(list) =>
            list.length === 0 ? (
              <Empty icon={<IconKey />} title={text.noSystems}>
                {text.whyAdd}
              </Empty>
            ) : (
              <Trusts trusts={list} mayDelete={org.may('deleteCiTrust', project)} />
            )
          }
        </Loaded>
        <Modal opened={opened} onClose={close} title={text.addSystem} size="lg">
          <NewTrust projectId={projectId} onClose={close} />
        </Modal>
      </Stack>
    </Card>
  );
}

const Trusts = ({ trusts, mayDelete }: { trusts: Trust[]; mayDelete: boolean }) => (
  <Table verticalSpacing="xs" aria-label={text.systems}>
    <Table.Thead>
      <Table.Tr>
        <Table.Th>{text.system}</Table.Th>
        <Table.Th>{text.conditions}</Table.Th>
        <Table.Th visibleFrom="lg">{text.created}</Table.Th>
        <Table.Th visibleFrom="lg">{text.lastUsed}</Table.Th>
        <Table.Th w={48}>
          <VisuallyHidden>{text.actions}</VisuallyHidden>
        </Table.Th>
      </Table.Tr>
    </Table.Thead>
    <Table.Tbody>
      {trusts.map((trust) => (
        <TrustRow key={trust.id} trust={trust} mayDelete={mayDelete} />
      ))}
    </Table.Tbody>
  </Table>
);

function TrustRow({ trust, mayDelete }: { trust: Trust; mayDelete: boolean }) {
  const used = trust.last_used ? <Ago time={trust.last_used} /> : text.never;
  return (
    <Table.Tr>
      <Table.Td>
        <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
          <bdi>{trust.name}</bdi>
        </Text>
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {trust.issuer}
        </Text>
        <Text size="xs" c="dimmed" hiddenFrom="lg" component="div" mt={4}>
          {text.lastUsedAt(used)}
        </Text>
      </Table.Td>
      <Table.Td>
        <Group gap={4}>
          {Object.entries(trust.claims).map(([name, value]) => (
            <Code key={name} style={{ overflowWrap: 'anywhere' }}>
              {name} {value}
            </Code>
          ))}
        </Group>
      </Table.Td>
      <Table.Td visibleFrom="lg">
        <Text size="sm">
          <Ago time={trust.created_at} />
        </Text>
      </Table.Td>
      <Table.Td visibleFrom="lg">
        <Text size="sm">{used}</Text>
      </Table.Td>
      <Table.Td>{mayDelete && <DeleteButton trust={trust} />}</Table.Td>
    </Table.Tr>
  );
}

function DeleteButton({ trust: { id, name, project_id: projectId } }: { trust: Trust }) {
  const org = useOrg();
  const queries = useQueryClient();
  const remove = useConfirmed({
    title: text.askDelete(<bdi>{name}</bdi>),
    children: <Text size="sm">{text.whatDeleteDoes}</Text>,
    confirm: text.remove,
    color: 'red',
    mutationFn: () =>
      org.api.delete('/projects/{projectId}/ci-trusts/{id}', { params: { path: { projectId, id } } }),
    onSuccess() {
      showSuccess(text.wasDeleted(name));
      return queries.invalidateQueries({ queryKey: tokensKey(org) });
    },
  });
  return (
    <Group justify="flex-end">
      <Tip label={text.remove}>
        <ActionIcon
          variant="subtle"
          color="red"
          aria-label={text.deleteName(name)}
          loading={remove.isPending}
          onClick={remove.ask}
        >
          <IconTrash size={16} />
        </ActionIcon>
      </Tip>
    </Group>
  );
}
