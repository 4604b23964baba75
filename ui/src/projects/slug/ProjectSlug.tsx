import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useNavigate } from '@tanstack/react-router';
import * as text from '#strings/projects/slug.ts';
import { ServiceError } from '../../app/api.ts';
import { useOrg } from '../../app/session.ts';
import { SettingsCard } from '../../components/forms/SettingsCard.tsx';
import { type Project, useSaveProject } from '../settings/use-save-project.ts';
import { SLUG } from './slug.ts';

const MAX_SLUG = 50;

/** The slug of a project, which is in the address of this page. */
export function ProjectSlug({ project }: { project: Project }) {
  const org = useOrg();
  const navigate = useNavigate();
  const saveProject = useSaveProject(project);
  const form = useForm({
    initialValues: { slug: project.slug },
    validate: { slug: (slug) => (SLUG.test(slug) ? null : text.form) },
    validateInputOnBlur: true,
  });
  const save = async ({ slug }: { slug: string }) => {
    try {
      const saved = await saveProject({ slug });
      await navigate({
        to: '/o/$org/projects/$slug/settings',
        params: { org: org.slug, slug: saved.slug },
        replace: true,
      });
      return { slug: saved.slug };
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'already_exists')
        form.setFieldError('slug', text.taken);
      throw error;
    }
  };
  return (
    <SettingsCard title={text.slug} description={text.whatItIs} form={form} saved={text.saved} save={save}>
      <TextInput
        aria-label={text.slug}
        maxLength={MAX_SLUG}
        maw="32rem"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        {...form.getInputProps('slug')}
      />
    </SettingsCard>
  );
}
