import { Button, Group, Modal, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import * as text from '#strings/findings/list/views.tsx';
import type { FindingSearch } from '../../../app/search.ts';
import { useOrg } from '../../../app/session.ts';
import { Problem } from '../../../components/errors/Problem.tsx';
import { toFields } from '../../../components/forms/to-fields.ts';
import { useListWords } from '../filters/list-words.ts';
import { mayShare, queryOfSearch } from './saved-views.ts';
import { useViewChanges } from './use-view-changes.ts';

interface Props {
  opened: boolean;
  onClose(): void;
  /** The list that the view shows. */
  search: FindingSearch;
}

/** A dialog that saves filters, order and grouping of the list as a view. */
export function SaveView({ opened, onClose, search }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title={text.saveView}>
      <SaveViewForm search={search} onClose={onClose} />
    </Modal>
  );
}

function SaveViewForm({ search, onClose }: Pick<Props, 'search' | 'onClose'>) {
  const org = useOrg();
  const { create } = useViewChanges();
  const words = useListWords(search);
  const [problem, setProblem] = useState<unknown>();
  const form = useForm({
    initialValues: { name: '', shared: false },
    validate: { name: (name) => (name.trim() === '' ? text.enterName : null) },
  });
  return (
    <form
      noValidate
      onSubmit={form.onSubmit(({ name, shared }) => {
        setProblem(undefined);
        create.mutate(
          { name: name.trim(), query: queryOfSearch(search), shared },
          { onSuccess: onClose, onError: (error) => setProblem(toFields(form, error)) },
        );
      })}
    >
      <Stack>
        <TextInput
          label={text.name}
          placeholder={text.nameExample}
          maxLength={100}
          required
          data-autofocus
          autoComplete="off"
          {...form.getInputProps('name')}
        />
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {words}
        </Text>
        <Switch
          label={text.shareWithAll}
          description={mayShare(org) ? text.adminsCanChange : text.viewersCannotShare}
          disabled={!mayShare(org)}
          {...form.getInputProps('shared', { type: 'checkbox' })}
        />
        {problem != null && <Problem error={problem} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {text.cancel}
          </Button>
          <Button type="submit" loading={create.isPending}>
            {text.saveView}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
