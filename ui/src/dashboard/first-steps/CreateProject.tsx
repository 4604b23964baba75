import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import * as text from '#strings/dashboard/first-steps.tsx';
import { rolesAllowed } from '../../app/roles.ts';
import { useOrg } from '../../app/session.ts';
import { Problem } from '../../components/errors/Problem.tsx';
import { toFields } from '../../components/forms/to-fields.ts';
import { projectsQuery } from '../../projects/queries.ts';

/**
 * Creates the first project.
 * @param onCreated called before the project is in the list
 */
export function CreateProject({ onCreated }: { onCreated: () => void }) {
  const org = useOrg();
  const queries = useQueryClient();
  const form = useForm({
    initialValues: { name: '' },
    validate: { name: (name) => (name.trim() === '' ? text.enterName : null) },
  });
  const [problem, setProblem] = useState<unknown>();
  const make = useMutation({
    mutationFn: (name: string) => org.api.post('/projects', { body: { name } }),
    onSuccess: async () => {
      onCreated();
      await queries.invalidateQueries({ queryKey: projectsQuery(org).queryKey });
    },
  });
  if (!org.may('createProject')) {
    return <Text size="sm">{text.onlyRolesCreateProjects(rolesAllowed('createProject'))}</Text>;
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
        <Text size="sm">{text.whatProjectIs}</Text>
        <Group align="flex-start" gap="sm">
          <TextInput
            label={text.projectName}
            placeholder={text.exampleProject}
            maxLength={100}
            required
            withAsterisk={false}
            autoComplete="off"
            w={{ base: '100%', xs: 320 }}
            {...form.getInputProps('name')}
          />
          <Button type="submit" loading={make.isPending} mt={{ base: 0, xs: 25 }}>
            {text.create}
          </Button>
        </Group>
        {problem !== undefined && <Problem error={problem} />}
      </Stack>
    </form>
  );
}
