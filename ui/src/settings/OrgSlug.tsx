import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useRouteContext } from '@tanstack/react-router';
import * as text from '#strings/settings.ts';
import { api, ServiceError } from '../app/api.ts';
import { useOrg } from '../app/session.ts';
import { SettingsCard } from '../components/forms/SettingsCard.tsx';
import { orgSlugProblem } from '../components/forms/slug.ts';

const MAX_SLUG = 50;

const REFUSED: Record<string, string> = {
  slug_taken: text.slugTaken,
  slug_reserved: text.slugReserved,
};

/** The slug of the organization, for owners. It is in the address of this page, which is loaded again at the new one. */
export function OrgSlug() {
  const { slug, role } = useOrg();
  const site = useRouteContext({ from: '__root__', select: ({ site }) => site });
  const form = useForm({
    initialValues: { slug },
    validate: { slug: (value) => orgSlugProblem(value) ?? null },
    validateInputOnBlur: true,
  });
  if (role !== 'owner') return null;
  const save = async (body: { slug: string }) => {
    try {
      const { result } = await api.patch('/orgs/{slug}', { params: { path: { slug } }, body });
      localStorage.setItem('org', result.slug);
      location.assign(site.orgUrl(result.slug, '/settings'));
      return { slug: result.slug };
    } catch (error) {
      const refused = error instanceof ServiceError ? REFUSED[error.code] : undefined;
      if (refused) form.setFieldError('slug', refused);
      throw error;
    }
  };
  return (
    <SettingsCard
      title={text.slug}
      description={text.slugIsAddress}
      form={form}
      saved={text.slugSaved}
      save={save}
    >
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
