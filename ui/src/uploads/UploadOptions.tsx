import { Select, SimpleGrid, Text, TextInput } from '@mantine/core';
import { FORMATS } from '../../../lib/importers/names.ts';
import type { UploadOptions } from './upload.ts';

export const NO_OPTIONS: UploadOptions = { format: '', name: '', path: '', ref: '' };

const CHOICES = [{ value: '', label: 'Detect automatically' }, ...FORMATS];

interface Props {
  options: UploadOptions;
  onChange: (options: UploadOptions) => void;
}

/** What can be set for the files that are added next. */
export function UploadOptionFields({ options, onChange }: Props) {
  const field = (name: 'name' | 'path' | 'ref') => ({
    value: options[name],
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      onChange({ ...options, [name]: value }),
    autoComplete: 'off',
  });
  return (
    <>
      <Text size="sm" c="dimmed" mb="xs">
        These settings apply to files that you add afterwards.
      </Text>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <Select
          label="Format"
          data={CHOICES}
          value={options.format}
          onChange={(format) => onChange({ ...options, format: format ?? '' })}
          searchable
          selectFirstOptionOnChange
          allowDeselect={false}
          nothingFoundMessage="No matching format"
        />
        <TextInput
          label="Scan name"
          placeholder="Default: the name of the file"
          maxLength={200}
          {...field('name')}
        />
        <TextInput
          label="Scanned path"
          placeholder="services/web"
          maxLength={2048}
          spellCheck={false}
          {...field('path')}
        />
        <TextInput
          label="Branch, tag or commit"
          placeholder="main"
          maxLength={2048}
          spellCheck={false}
          {...field('ref')}
        />
      </SimpleGrid>
    </>
  );
}
