import { Badge, Button, Group, Menu, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type Ref, useEffect, useRef, useState } from 'react';
import * as text from '#strings/findings/list/views.tsx';
import { unknownMemberInSentence } from '#strings/members/unknown.ts';
import type { FindingSearch } from '../../../app/search.ts';
import { useMe, useOrg } from '../../../app/session.ts';
import { ActionMenu } from '../../../components/ActionMenu.tsx';
import { openConfirm } from '../../../components/dialogs/confirm.ts';
import { Empty } from '../../../components/Empty.tsx';
import { showSuccess } from '../../../components/errors/toasts.ts';
import { Loaded } from '../../../components/Loaded.tsx';
import { OrgAnchor } from '../../../components/links.tsx';
import { Row, Rows } from '../../../components/Rows.tsx';
import { IconLock, IconPencil, IconReplace, IconShare, IconTrash } from '../../../icons/icons.ts';
import { membersQuery } from '../../../members/queries.ts';
import { useListWords } from '../filters/filter-chips.tsx';
import { mayChangeView, mayEditView, mayShare, type SavedView, savedViewsQuery } from './saved-views.ts';
import { useViewChanges } from './use-view-changes.ts';
import { queryOfSearch, searchOfView, showsView } from './view-query.ts';

interface Props {
  opened: boolean;
  onClose(): void;
  /** The list on the page, for views that shall show it. */
  search: FindingSearch;
}

/** A dialog with all saved views and what the user may do with them. */
export function ManageViews({ opened, onClose, search }: Props) {
  const org = useOrg();
  const views = useQuery({ ...savedViewsQuery(org), enabled: opened });
  return (
    <Modal opened={opened} onClose={onClose} title={text.savedViews} size="lg" yOffset="6vh">
      <Loaded query={views} empty={<Empty title={text.noViews}>{text.howToSave}</Empty>}>
        {(list) => (
          <Rows label={text.savedViews}>
            {list.map((view) => (
              <ViewRow key={view.id} view={view} search={search} onLeave={onClose} />
            ))}
          </Rows>
        )}
      </Loaded>
    </Modal>
  );
}

interface RowProps {
  view: SavedView;
  search: FindingSearch;
  onLeave(): void;
}

function ViewRow({ view, search, onLeave }: RowProps) {
  const org = useOrg();
  const me = useMe();
  const { update } = useViewChanges();
  const [renaming, setRenaming] = useState(false);
  const actions = useRef<HTMLButtonElement>(null);
  const wasRenaming = useRef(false);
  useEffect(() => {
    if (wasRenaming.current && !renaming) actions.current?.focus();
    wasRenaming.current = renaming;
  }, [renaming]);
  const isOwn = view.owner_id === me.user.id;
  const members = useQuery({ ...membersQuery(org), enabled: !isOwn }).data;
  const owner = members?.find(({ user_id }) => user_id === view.owner_id);
  const ownerName = owner ? owner.name || owner.email : unknownMemberInSentence(org.isLimited);
  const words = useListWords(searchOfView(view));
  const rename = (name: string) => {
    const isNew = name !== '' && name !== view.name;
    if (isNew) update.mutate({ id: view.id, name }, { onSuccess: () => setRenaming(false) });
    else setRenaming(false);
  };
  return (
    <Row
      actions={
        mayChangeView(org, me, view) &&
        !renaming && (
          <ViewActions ref={actions} view={view} search={search} onRename={() => setRenaming(true)} />
        )
      }
    >
      <Stack gap={2}>
        {renaming ? (
          <Rename view={view} isBusy={update.isPending} onDone={rename} onCancel={() => setRenaming(false)} />
        ) : (
          <Group gap="xs" wrap="nowrap">
            <OrgAnchor
              to="/o/$org/findings"
              search={searchOfView(view)}
              onClick={onLeave}
              fw={600}
              size="sm"
              style={{ overflowWrap: 'anywhere' }}
            >
              <bdi>{view.name}</bdi>
            </OrgAnchor>
            <Badge variant="default" radius="sm" tt="none" fw={500} flex="none">
              {view.shared ? text.shared : text.isPrivate}
            </Badge>
          </Group>
        )}
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {isOwn ? words : text.byOwner(words, ownerName)}
        </Text>
      </Stack>
    </Row>
  );
}

interface RenameProps {
  view: SavedView;
  isBusy: boolean;
  onDone(name: string): void;
  onCancel(): void;
}

function Rename({ view, isBusy, onDone, onCancel }: RenameProps) {
  const [name, setName] = useState(view.name);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onDone(name.trim());
  };
  return (
    <form onSubmit={submit}>
      <Group gap="xs">
        <TextInput
          size="xs"
          flex="1 1 10rem"
          aria-label={text.newNameOf(view.name)}
          maxLength={100}
          value={name}
          autoFocus
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          // Escape does not close the dialog.
          data-mantine-stop-propagation
          onKeyDown={({ key }) => key === 'Escape' && onCancel()}
        />
        <Button size="compact-sm" type="submit" loading={isBusy}>
          {text.rename}
        </Button>
        <Button size="compact-sm" variant="default" onClick={onCancel}>
          {text.cancel}
        </Button>
      </Group>
    </form>
  );
}

interface ActionsProps extends Pick<RowProps, 'view' | 'search'> {
  onRename(): void;
  ref: Ref<HTMLButtonElement>;
}

function ViewActions({ view, search, onRename, ref }: ActionsProps) {
  const org = useOrg();
  const mayEdit = mayEditView(org, view);
  const { update, remove } = useViewChanges();
  const { id, name, shared } = view;
  const share = () =>
    update.mutate(
      { id, shared: !shared },
      {
        onSuccess: () => showSuccess(shared ? text.onlyOwnerSees(name) : text.allSee(name)),
      },
    );
  const replace = () =>
    update.mutate(
      { id, query: queryOfSearch(search) },
      { onSuccess: () => showSuccess(text.replaced(name)) },
    );
  const askToDelete = () =>
    openConfirm({
      title: text.deleteWhich(name),
      children: shared ? text.allLoseIt : text.findingsStay,
      confirm: text.deleteView,
      color: 'red',
      onConfirm: () => remove.mutate(view),
    });
  return (
    <ActionMenu
      ref={ref}
      label={text.actionsFor(name)}
      width={250}
      isBusy={update.isPending || remove.isPending}
    >
      {mayEdit && (
        <Menu.Item leftSection={<IconPencil size={16} />} onClick={onRename}>
          {text.rename}
        </Menu.Item>
      )}
      {(shared || mayShare(org)) && (
        <Menu.Item leftSection={shared ? <IconLock size={16} /> : <IconShare size={16} />} onClick={share}>
          {shared ? text.makePrivate : text.shareWithAll}
        </Menu.Item>
      )}
      {mayEdit && !showsView(search, view) && (
        <Menu.Item leftSection={<IconReplace size={16} />} onClick={replace}>
          {text.replace}
        </Menu.Item>
      )}
      {mayEdit && <Menu.Divider />}
      <Menu.Item leftSection={<IconTrash size={16} />} color="red" onClick={askToDelete}>
        {text.deleteItem}
      </Menu.Item>
    </ActionMenu>
  );
}
