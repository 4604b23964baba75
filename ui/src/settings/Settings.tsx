import { Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useRouteContext } from '@tanstack/react-router';
import * as text from '#strings/settings.ts';
import { api, ServiceError } from '../app/api.ts';
import { useOrg } from '../app/session.ts';
import { SettingsCard } from '../components/forms/SettingsCard.tsx';
import { orgSlugProblem } from '../components/forms/slug.ts';
import { Page } from '../components/Page.tsx';
import { DeleteOrg } from '../deletion/DeleteOrg.tsx';
import { OrgDueDates } from '../due-dates/OrgDueDates.tsx';
import { useRefreshUser } from '../profile/use-refresh-user.ts';
import { OrgRetention } from '../retention/OrgRetention.tsx';
import { Features } from './Features.tsx';
import { ViewerTokens } from './ViewerTokens.tsx';

/** The settings of the organization. */
export function Settings() {
  return (
    <Page title={text.settings} description={text.whatSettingsApplyTo}>
      <Stack>
        <OrgName />
        <OrgSlug />
        <OrgDueDates />
        <OrgRetention />
        <Features />
        <ViewerTokens />
        <DeleteOrg />
      </Stack>
    </Page>
  );
}

const MAX_NAME = 200;

/** The name of the organization, for owners and admins. */
function OrgName() {
  const { org, slug, role } = useOrg();
  const refresh = useRefreshUser();
  const form = useForm({
    initialValues: { name: org.name },
    validate: { name: (name) => (name.trim() === '' ? text.enterName : null) },
  });
  if (role !== 'owner' && role !== 'admin') return null;
  return (
    <SettingsCard
      title={text.name}
      description={text.nameIsShown}
      form={form}
      saved={text.nameSaved}
      save={async ({ name }) => {
        const body = { name: name.trim() };
        const { result } = await api.patch('/orgs/{slug}', { params: { path: { slug } }, body });
        await refresh();
        return { name: result.name };
      }}
    >
      <TextInput
        aria-label={text.name}
        maxLength={MAX_NAME}
        maw="32rem"
        autoComplete="off"
        {...form.getInputProps('name')}
      />
    </SettingsCard>
  );
}

const MAX_SLUG = 50;

const REFUSED: Record<string, string> = {
  slug_taken: text.slugTaken,
  slug_reserved: text.slugReserved,
};

/** The slug of the organization, for owners. It is in the address of this page, which is loaded again at the new one. */
function OrgSlug() {
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
