import { Modal, Switch, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import * as text from '#strings/findings/list/views.tsx';
import type { FindingSearch } from '../../../app/search.ts';
import { useOrg } from '../../../app/session.ts';
import { showSuccess } from '../../../components/errors/toasts.ts';
import { DialogForm } from '../../../components/forms/DialogForm.tsx';
import { useSend } from '../../../components/forms/use-send.ts';
import { useListWords } from '../filters/filter-chips.tsx';
import { mayShare, savedViewsQuery } from './saved-views.ts';
import { queryOfSearch } from './view-query.ts';

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
  const queries = useQueryClient();
  const words = useListWords(search);
  const form = useForm({
    initialValues: { name: '', shared: false },
    validate: { name: (name) => (name.trim() === '' ? text.enterName : null) },
  });
  const saving = useSend(form, {
    send: async ({ name, shared }) =>
      (await org.api.post('/views', { body: { name: name.trim(), query: queryOfSearch(search), shared } }))
        .result,
    onSent: ({ name, shared }) => {
      showSuccess(shared ? text.savedAndShared(name) : text.saved(name));
      onClose();
      return queries.invalidateQueries({ queryKey: savedViewsQuery(org).queryKey });
    },
  });
  return (
    <DialogForm sending={saving} action={text.saveView} onCancel={onClose}>
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
    </DialogForm>
  );
}
