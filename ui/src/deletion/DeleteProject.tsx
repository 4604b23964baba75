import { Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useId } from 'react';
import * as text from '#strings/deletion.tsx';
import type { Schemas } from '../app/api.ts';
import { useOrg } from '../app/session.ts';
import { showSuccess } from '../components/errors/toasts.ts';
import { projectQuery, projectsQuery } from '../projects/queries.ts';
import { refreshFindings } from '../triage/cache.ts';
import { TypedConfirmation } from './TypedConfirmation.tsx';

/** Deletes a project, after its slug was typed. */
export function DeleteProject({ project }: { project: Schemas['Project'] }) {
  const { id, name, slug } = project;
  const org = useOrg();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const heading = useId();
  const [opened, { open, close }] = useDisclosure();
  if (!org.may('deleteProject')) return null;
  const remove = async () => {
    await org.api.delete('/projects/{slug}', { params: { path: { slug: id } }, body: { confirm: slug } });
    showSuccess(text.projectDeleted);
    await navigate({ to: '/o/$org/projects', params: { org: org.slug }, replace: true });
    for (const one of [id, slug]) queries.removeQueries({ queryKey: projectQuery(org, one).queryKey });
    await Promise.all([
      queries.invalidateQueries({ queryKey: projectsQuery(org).queryKey }),
      refreshFindings(queries, org),
    ]);
  };
  return (
    <Card withBorder component="section" aria-labelledby={heading}>
      <Stack>
        <div>
          <Title order={2} fz="md" id={heading}>
            {text.deleteProject}
          </Title>
          <Text size="sm" c="dimmed" maw="44rem">
            {text.projectIsGone}
          </Text>
        </div>
        <Group>
          <Button variant="default" size="sm" c="var(--mantine-color-error)" onClick={open}>
            {text.deleteProjectAsk}
          </Button>
        </Group>
      </Stack>
      <TypedConfirmation
        opened={opened}
        onClose={close}
        title={<bdi>{text.deleteThisProject(name)}</bdi>}
        word={slug}
        label={text.deleteProject}
        onConfirm={remove}
      >
        {text.projectIsGone}
      </TypedConfirmation>
    </Card>
  );
}
