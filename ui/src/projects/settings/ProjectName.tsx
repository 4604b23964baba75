import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import * as text from '#strings/projects/settings.tsx';
import { SettingsCard } from '../../components/forms/SettingsCard.tsx';
import { type Project, useSaveProject } from './use-save-project.ts';

const MAX_NAME = 200;

/** The name of a project. */
export function ProjectName({ project }: { project: Project }) {
  const saveProject = useSaveProject(project);
  const form = useForm({
    initialValues: { name: project.name },
    validate: { name: (name) => (name.trim() === '' ? text.enterName : null) },
  });
  return (
    <SettingsCard
      title={text.name}
      description={text.slugStays}
      form={form}
      saved={text.nameSaved}
      save={async ({ name }) => {
        const saved = await saveProject({ name: name.trim() });
        return { name: saved.name };
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
