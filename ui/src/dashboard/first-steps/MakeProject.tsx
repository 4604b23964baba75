import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { rolesAllowed } from '../../app/roles.ts';
import { useOrg } from '../../app/session.ts';
import { Problem } from '../../components/errors/Problem.tsx';
import { toFields } from '../../components/forms/to-fields.ts';
import { projectsQuery } from '../../projects/queries.ts';

/**
 * Makes the first project.
 * @param onMade told before it is in the list
 */
export function MakeProject({ onMade }: { onMade: () => void }) {
  const org = useOrg();
  const queries = useQueryClient();
  const form = useForm({
    initialValues: { name: '' },
    validate: { name: (name) => (name.trim() === '' ? 'Give it a name' : null) },
  });
  const [problem, setProblem] = useState<unknown>();
  const make = useMutation({
    mutationFn: (name: string) => org.api.post('/projects', { body: { name } }),
    onSuccess: async () => {
      onMade();
      await queries.invalidateQueries({ queryKey: projectsQuery(org).queryKey });
    },
  });
  if (!org.may('createProject')) {
    return (
      <Text size="sm">
        Only {rolesAllowed('createProject')} can create projects. Ask one of them to create a project.
      </Text>
    );
  }
  return (
    <form
      noValidate
      onSubmit={form.onSubmit(({ name }) => {
        setProblem(undefined);
        make.mutate(name.trim(), { onError: (error) => setProblem(toFields(form, error)) });
      })}
    >
      <Stack gap="sm">
        <Text size="sm">A project is what findings belong to: a repository, a service, a site.</Text>
        <Group align="flex-start" gap="sm">
          <TextInput
            label="Name of the project"
            placeholder="Web shop"
            maxLength={100}
            required
            autoComplete="off"
            w={{ base: '100%', xs: 320 }}
            {...form.getInputProps('name')}
          />
          <Button type="submit" loading={make.isPending} mt={{ base: 0, xs: 25 }}>
            Create project
          </Button>
        </Group>
        {problem !== undefined && <Problem error={problem} />}
      </Stack>
    </form>
  );
}
