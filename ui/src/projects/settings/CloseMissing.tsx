import { Select } from '@mantine/core';
import { useForm } from '@mantine/form';
import * as text from '#strings/projects/settings.tsx';
import { SettingsCard } from '../../components/forms/SettingsCard.tsx';
import { type Project, useSaveProject } from './use-save-project.ts';

const OFF = 'off';

const CHOICES = [
  { value: OFF, label: text.never },
  ...Array.from({ length: 10 }, (_, i) => ({ value: String(i + 1), label: text.afterScans(i + 1) })),
];

const toValues = ({ close_after_scans }: Project) => ({
  close_after_scans: close_after_scans === undefined ? OFF : String(close_after_scans),
});

/** After how many scans without a finding it is fixed. */
export function CloseMissing({ project }: { project: Project }) {
  const saveProject = useSaveProject(project);
  const form = useForm({ initialValues: toValues(project) });
  return (
    <SettingsCard
      title={text.closeMissing}
      description={text.whatClosingDoes}
      form={form}
      saved={text.settingSaved}
      save={async ({ close_after_scans: choice }) => {
        return toValues(await saveProject({ close_after_scans: choice === OFF ? null : Number(choice) }));
      }}
    >
      <Select
        aria-label={text.closeMissing}
        data={CHOICES}
        allowDeselect={false}
        maw="16rem"
        {...form.getInputProps('close_after_scans')}
      />
    </SettingsCard>
  );
}
