import { Select, SimpleGrid, Text, TextInput } from '@mantine/core';
import * as text from '#strings/uploads.tsx';
import { FORMATS } from '../../../lib/importers/names.ts';
import type { UploadOptions } from './upload.ts';

export const NO_OPTIONS: UploadOptions = { format: '', name: '', path: '', ref: '' };

const CHOICES = [{ value: '', label: text.detectFormat }, ...FORMATS];

interface Props {
  options: UploadOptions;
  onChange: (options: UploadOptions) => void;
}

/** The options for the files that are added next. */
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
        {text.settingsOfNext}
      </Text>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <Select
          label={text.format}
          data={CHOICES}
          value={options.format}
          onChange={(format) => onChange({ ...options, format: format ?? '' })}
          searchable
          selectFirstOptionOnChange
          allowDeselect={false}
          nothingFoundMessage={text.noFormat}
        />
        <TextInput
          label={text.scanName}
          placeholder={text.defaultScanName}
          maxLength={200}
          {...field('name')}
        />
        <TextInput
          label={text.scannedPath}
          placeholder={text.exampleOfPath}
          maxLength={2048}
          spellCheck={false}
          {...field('path')}
        />
        <TextInput
          label={text.revision}
          placeholder={text.exampleOfRevision}
          maxLength={2048}
          spellCheck={false}
          {...field('ref')}
        />
      </SimpleGrid>
    </>
  );
}
