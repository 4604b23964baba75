import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import * as text from '#strings/settings.ts';
import { api } from '../app/api.ts';
import { useOrg } from '../app/session.ts';
import { SettingsCard } from '../components/forms/SettingsCard.tsx';
import { useRefreshUser } from '../profile/use-refresh-user.ts';

const MAX_NAME = 200;

/** The name of the organization, for owners and admins. */
export function OrgName() {
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
