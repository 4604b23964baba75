import { Button, Card, Group, Modal, Skeleton, Stack, Table, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { noneAssigned } from '#strings/projects/limited.ts';
import * as text from '#strings/projects.tsx';
import { slugFrom } from '../../../lib/orgs/slugs.ts';
import type { Schemas } from '../app/api.ts';
import { rolesAllowed } from '../app/roles.ts';
import { useOrg } from '../app/session.ts';
import { Copy } from '../components/Copy.tsx';
import { Empty } from '../components/Empty.tsx';
import { showSuccess } from '../components/errors/toasts.ts';
import { DialogForm } from '../components/forms/DialogForm.tsx';
import { useSend } from '../components/forms/use-send.ts';
import { Loaded } from '../components/Loaded.tsx';
import { OrgAnchor } from '../components/links.tsx';
import { Page } from '../components/Page.tsx';
import { Ago } from '../components/time/Time.tsx';
import { projectNumbersQuery } from '../dashboard/queries.ts';
import { RegressedCount, SeverityCounts } from '../findings/SeverityCounts.tsx';
import { IconFolderPlus, IconPlus } from '../icons/icons.ts';
import { projectsQuery } from './queries.ts';
import { SLUG } from './slug.ts';

type Project = Schemas['Project'];

/** The projects of the organization. */
export function Projects() {
  const org = useOrg();
  const projects = useQuery(projectsQuery(org));
  const [opened, { open, close }] = useDisclosure();
  const mayCreate = org.may('createProject');
  return (
    <Page
      title={text.projects}
      description={text.whatProjectIs}
      actions={
        mayCreate && (
          <Button leftSection={<IconPlus size={16} />} onClick={open}>
            {text.newProject}
          </Button>
        )
      }
    >
      <NewProject opened={opened} onClose={close} />
      <Loaded
        query={projects}
        waiting={<Rows />}
        empty={
          <Empty icon={<IconFolderPlus />} title={text.noProjects}>
            {mayCreate
              ? text.createForEach
              : org.isLimited
                ? noneAssigned
                : text.whoMayCreate(rolesAllowed('createProject'))}
          </Empty>
        }
      >
        {(list) => <List projects={list} />}
      </Loaded>
    </Page>
  );
}

function List({ projects }: { projects: Project[] }) {
  return (
    <>
      <Card withBorder p={0} visibleFrom="sm">
        <Table verticalSpacing="sm" horizontalSpacing="md" highlightOnHover aria-label={text.projects}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{text.project}</Table.Th>
              <Table.Th>{text.needsAttention}</Table.Th>
              <Table.Th visibleFrom="md">{text.regressed}</Table.Th>
              <Table.Th visibleFrom="md">{text.lastScan}</Table.Th>
              <Table.Th visibleFrom="md">{text.created}</Table.Th>
              <Table.Th>{text.id}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {projects.map((project) => (
              <Table.Tr key={project.id}>
                <Table.Td>
                  <Name project={project} />
                </Table.Td>
                <Table.Td>
                  <Attention projectId={project.id} />
                </Table.Td>
                <Table.Td visibleFrom="md">
                  <Regressed projectId={project.id} />
                </Table.Td>
                <Table.Td visibleFrom="md">
                  <LastScan projectId={project.id} />
                </Table.Td>
                <Table.Td visibleFrom="md">
                  <Ago time={project.created_at} />
                </Table.Td>
                <Table.Td>
                  <Copy value={project.id} label={text.copyIdOf(project.name)} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Card>
      <Stack gap="xs" hiddenFrom="sm" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
        {projects.map((project) => (
          <Card key={project.id} component="li" withBorder p="sm">
            <Group justify="space-between" wrap="nowrap" align="flex-start">
              <Name project={project} />
              <Copy value={project.id} label={text.copyIdOf(project.name)} />
            </Group>
            <Group mt={6} gap="sm">
              <Attention projectId={project.id} />
              <Regressed projectId={project.id} isBrief />
            </Group>
          </Card>
        ))}
      </Stack>
    </>
  );
}

function Name({ project }: { project: Project }) {
  return (
    <div style={{ minWidth: 0 }}>
      <OrgAnchor to="/o/$org/projects/$slug" params={{ slug: project.slug }} fw={500}>
        <bdi>{project.name}</bdi>
      </OrgAnchor>
      <Text size="xs" c="dimmed">
        {project.slug}
      </Text>
    </div>
  );
}

const useNumbers = (projectId: string) => {
  const { data } = useQuery(projectNumbersQuery(useOrg()));
  return { loaded: data !== undefined, numbers: data?.find(({ project }) => project.id === projectId) };
};

function Attention({ projectId }: { projectId: string }) {
  const { loaded, numbers } = useNumbers(projectId);
  if (numbers) return <SeverityCounts counts={numbers.attention} projectId={projectId} />;
  return loaded ? null : <Skeleton h={22} w={120} />;
}

/** @param isBrief shows nothing where nothing has regressed */
function Regressed({ projectId, isBrief = false }: { projectId: string; isBrief?: boolean }) {
  const { loaded, numbers } = useNumbers(projectId);
  if (isBrief && !numbers?.regressed.total) return null;
  if (numbers) return <RegressedCount count={numbers.regressed.total} projectId={projectId} />;
  return loaded ? null : <Skeleton h={22} w={40} />;
}

function LastScan({ projectId }: { projectId: string }) {
  const { loaded, numbers } = useNumbers(projectId);
  if (!loaded) return <Skeleton h={22} w={80} />;
  return numbers?.last_scan_at ? <Ago time={numbers.last_scan_at} /> : text.never;
}

const Rows = () => (
  <Stack gap="xs" role="status" aria-label={text.loading}>
    {[1, 2, 3].map((row) => (
      <Skeleton key={row} h={56} />
    ))}
  </Stack>
);

/** A dialog that creates a project and opens it. */
export function NewProject({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title={text.newProject}>
      <NewProjectForm onClose={onClose} />
    </Modal>
  );
}

function NewProjectForm({ onClose }: { onClose: () => void }) {
  const org = useOrg();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const form = useForm({
    initialValues: { name: '', slug: '' },
    validate: {
      name: (name) => (name.trim() === '' ? text.enterName : null),
      slug: (slug) => (slug === '' || SLUG.test(slug) ? null : text.slugCharacters),
    },
    validateInputOnChange: ['slug'],
  });
  const create = useSend(form, {
    send: async ({ name, slug }) =>
      (await org.api.post('/projects', { body: { name: name.trim(), ...(slug !== '' && { slug }) } })).result,
    onSent: async (project) => {
      showSuccess(text.projectCreated(project.name));
      onClose();
      queries.invalidateQueries({ queryKey: projectsQuery(org).queryKey });
      await navigate({ to: '/o/$org/projects/$slug', params: { org: org.slug, slug: project.slug } });
    },
    errorsOf: ({ code }) => (code === 'already_exists' ? { slug: text.slugTaken } : undefined),
  });
  return (
    <DialogForm sending={create} action={text.createProject} onCancel={onClose}>
      <TextInput
        label={text.name}
        placeholder={text.exampleOfName}
        maxLength={200}
        required
        data-autofocus
        autoComplete="off"
        {...form.getInputProps('name')}
        onChange={({ currentTarget: { value } }) => {
          // The slug follows the name until the user edits it.
          if (form.values.slug === slugFrom(form.values.name)) form.setFieldValue('slug', slugFrom(value));
          form.setFieldValue('name', value);
        }}
      />
      <TextInput
        label={text.slug}
        description={text.whatSlugIs}
        maxLength={50}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        {...form.getInputProps('slug')}
      />
    </DialogForm>
  );
}
