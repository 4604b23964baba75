import {
  Button,
  Card,
  Collapse,
  FileButton,
  Group,
  Select,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
  Title,
  VisuallyHidden,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ReactNode, useId, useRef, useState } from 'react';
import * as text from '#strings/uploads.tsx';
import { FORMATS } from '../../../lib/importers/names.ts';
import { IconChevronDown, IconUpload } from '../icons/icons.ts';
import { LeaveGuard } from './LeaveDialog.tsx';
import type { Uploads } from './queue.ts';
import { outcomeOf, progressOf } from './UploadResult.tsx';
import { UploadRow } from './UploadRow.tsx';
import classes from './Uploads.module.css';
import { type Dropped, isActive, type UploadOptions } from './upload.ts';
import { chosenOf, useDrop } from './use-drop.ts';
import { useUploadList } from './use-uploads.ts';

interface Props {
  project: { id: string; name: string };
  uploads: Uploads;
  title: string;
  /** Whether the section is among the first steps, whose look it has. */
  isStep?: boolean;
  children?: ReactNode;
}

/** Uploads reports to a project. The whole section is a target for files. */
export function UploadReports({ project, uploads, title, isStep = false, children }: Props) {
  const id = useId();
  const section = useRef<HTMLElement>(null);
  const choose = useRef<HTMLButtonElement>(null);
  const resetInput = useRef<() => void>(null);
  const [options, setOptions] = useState(NO_OPTIONS);
  const [opened, { toggle }] = useDisclosure();
  const list = useUploadList(uploads);
  const add = (dropped: Dropped[]) => uploads.add(dropped, { projectId: project.id, options });
  const drag = useDrop(section, add);
  const active = list.filter(isActive).length;
  const focus = (element: HTMLElement | null | undefined) => (element ?? choose.current)?.focus();
  return (
    <Card
      withBorder
      component="section"
      aria-labelledby={id}
      ref={section}
      className={classes.section ?? ''}
      {...(isStep && { bg: 'var(--mantine-color-body)' })}
    >
      <Stack gap="sm">
        <div>
          <Title order={2} size={isStep ? 'h3' : 'h2'} id={id}>
            {title}
          </Title>
          <Text size="sm" c="dimmed">
            {children} {text.formatIsDetected(FORMATS.length - 4)}
          </Text>
        </div>
        <Group justify="space-between" gap="xs">
          <Group gap="sm">
            <FileButton
              multiple
              resetRef={resetInput}
              onChange={(files) => {
                add(chosenOf(files));
                // Otherwise the same file could not be chosen again.
                resetInput.current?.();
              }}
            >
              {(props) => (
                <Button {...props} ref={choose} leftSection={<IconUpload size={16} />}>
                  {text.chooseFiles}
                </Button>
              )}
            </FileButton>
            <span className={classes.hint}>{text.orDrop}</span>
          </Group>
          <Button
            variant="subtle"
            size="compact-sm"
            onClick={toggle}
            aria-expanded={opened}
            rightSection={<IconChevronDown size={16} style={{ rotate: opened ? '180deg' : '0deg' }} />}
          >
            {text.moreOptions}
          </Button>
        </Group>
        <Collapse expanded={opened}>
          <UploadOptionFields options={options} onChange={setOptions} />
        </Collapse>
        {list.length > 0 && (
          <div>
            <Group justify="space-between" mih={30}>
              <Text size="sm" c="dimmed">
                {progressOf(list.length, active)}
              </Text>
              {list.length - active > 1 && (
                <Button
                  variant="subtle"
                  size="compact-sm"
                  onClick={() => {
                    uploads.removeEnded();
                    focus(undefined);
                  }}
                >
                  {text.clearFinished}
                </Button>
              )}
            </Group>
            <ul className={classes.list} aria-label={text.uploads}>
              {list.map((upload) => (
                <UploadRow
                  key={upload.id}
                  upload={upload}
                  onCancel={() => uploads.cancel(upload.id)}
                  onRetry={() => uploads.retry(upload.id, options.format)}
                  onRemove={(next) => {
                    focus(next);
                    uploads.remove(upload.id);
                  }}
                />
              ))}
            </ul>
          </div>
        )}
      </Stack>
      <VisuallyHidden role="log" aria-label={text.resultsOfUploads}>
        {list.map((upload) => {
          const outcome = outcomeOf(upload);
          return outcome && <p key={`${upload.id} ${upload.state.kind}`}>{outcome}</p>;
        })}
      </VisuallyHidden>
      {drag !== 'none' && (
        <div className={classes.drop} data-drag={drag}>
          <span>{text.dropHere(<bdi>{project.name}</bdi>)}</span>
        </div>
      )}
      <LeaveGuard uploads={uploads} />
    </Card>
  );
}

const NO_OPTIONS: UploadOptions = { format: '', name: '', path: '', ref: '' };

const CHOICES = [{ value: '', label: text.detectFormat }, ...FORMATS];

interface UploadOptionFieldsProps {
  options: UploadOptions;
  onChange: (options: UploadOptions) => void;
}

/** The options for the files that are added next. */
function UploadOptionFields({ options, onChange }: UploadOptionFieldsProps) {
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
