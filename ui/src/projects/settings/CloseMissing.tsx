import { Select } from '@mantine/core';
import { useForm } from '@mantine/form';
import { SettingsCard } from '../../components/forms/SettingsCard.tsx';
import { type Project, useSaveProject } from './use-save-project.ts';

const OFF = 'off';

const CHOICES = [
  { value: OFF, label: 'Never' },
  { value: '1', label: 'After 1 scan' },
  ...Array.from({ length: 9 }, (_, i) => ({ value: String(i + 2), label: `After ${i + 2} scans in a row` })),
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
      title="Close missing findings"
      description="Findings become fixed when completed scans of the same source and target no longer report them. A finding that a scan reports again has regressed."
      form={form}
      saved="The setting is saved."
      save={async ({ close_after_scans: choice }) => {
        return toValues(await saveProject({ close_after_scans: choice === OFF ? null : Number(choice) }));
      }}
    >
      <Select
        aria-label="Close missing findings"
        data={CHOICES}
        allowDeselect={false}
        maw="16rem"
        {...form.getInputProps('close_after_scans')}
      />
    </SettingsCard>
  );
}
