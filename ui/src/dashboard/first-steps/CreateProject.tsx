import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import * as text from '#strings/dashboard/first-steps.tsx';
import { rolesAllowed } from '../../app/roles.ts';
import { useOrg } from '../../app/session.ts';
import { Problem } from '../../components/errors/Problem.tsx';
import { useSend } from '../../components/forms/use-send.ts';
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
  const make = useSend(form, {
    send: ({ name }) => org.api.post('/projects', { body: { name: name.trim() } }),
    onSent: async () => {
      onCreated();
      await queries.invalidateQueries({ queryKey: projectsQuery(org).queryKey });
    },
  });
  if (!org.may('createProject')) {
    return <Text size="sm">{text.onlyRolesCreateProjects(rolesAllowed('createProject'))}</Text>;
  }
  return (
    <form noValidate onSubmit={make.submit}>
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
        {make.problem !== undefined && <Problem error={make.problem} />}
      </Stack>
    </form>
  );
}
