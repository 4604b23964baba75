import { Modal, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import * as text from '#strings/projects.tsx';
import { slugFrom } from '../../../lib/orgs/slugs.ts';
import { useOrg } from '../app/session.ts';
import { showSuccess } from '../components/errors/toasts.ts';
import { DialogForm } from '../components/forms/DialogForm.tsx';
import { useSend } from '../components/forms/use-send.ts';
import { projectsQuery } from './queries.ts';
import { SLUG } from './slug.ts';

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
