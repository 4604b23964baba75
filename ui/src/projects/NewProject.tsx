import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import * as text from '#strings/projects.tsx';
import { ServiceError } from '../app/api.ts';
import { useOrg } from '../app/session.ts';
import { Problem } from '../components/errors/Problem.tsx';
import { showSuccess } from '../components/errors/toasts.ts';
import { slugFrom } from '../components/forms/slug.ts';
import { toFields } from '../components/forms/to-fields.ts';
import { projectsQuery } from './queries.ts';
import { SLUG } from './slug/slug.ts';

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
  const [problem, setProblem] = useState<unknown>();
  const form = useForm({
    initialValues: { name: '', slug: '' },
    validate: {
      name: (name) => (name.trim() === '' ? text.enterName : null),
      slug: (slug) => (slug === '' || SLUG.test(slug) ? null : text.slugCharacters),
    },
    validateInputOnChange: ['slug'],
  });
  const create = useMutation({
    mutationFn: async ({ name, slug }: { name: string; slug: string }) =>
      (await org.api.post('/projects', { body: { name: name.trim(), ...(slug !== '' && { slug }) } })).result,
    onSuccess: async (project) => {
      showSuccess(text.projectCreated(project.name));
      onClose();
      queries.invalidateQueries({ queryKey: projectsQuery(org).queryKey });
      await navigate({ to: '/o/$org/projects/$slug', params: { org: org.slug, slug: project.slug } });
    },
    onError: (error) => {
      if (error instanceof ServiceError && error.code === 'already_exists') {
        return form.setFieldError('slug', text.slugTaken);
      }
      setProblem(toFields(form, error));
    },
  });
  return (
    <form
      noValidate
      onSubmit={form.onSubmit((values) => {
        setProblem(undefined);
        create.mutate(values);
      })}
    >
      <Stack>
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
        {problem !== undefined && <Problem error={problem} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {text.cancel}
          </Button>
          <Button type="submit" loading={create.isPending}>
            {text.createProject}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
