import { Menu } from '@mantine/core';
import * as text from '#strings/deletion.tsx';
import { ActionMenu } from '../components/ActionMenu.tsx';
import { IconTrash } from '../icons/icons.ts';

interface Props {
  /** The text of the item. */
  label: string;
  isBusy: boolean;
  onDelete(): void;
}

/** A menu of a page, so that deleting takes more than one click. */
export function DeleteMenu({ label, isBusy, onDelete }: Props) {
  return (
    <ActionMenu label={text.moreActions} iconSize={18} isBusy={isBusy}>
      <Menu.Item color="var(--mantine-color-error)" leftSection={<IconTrash size={16} />} onClick={onDelete}>
        {label}
      </Menu.Item>
    </ActionMenu>
  );
}
