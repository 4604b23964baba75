import { ActionIcon, Menu } from '@mantine/core';
import * as text from '#strings/deletion.tsx';
import { IconDots, IconTrash } from '../icons/icons.ts';

interface Props {
  /** The text of the item. */
  label: string;
  isBusy: boolean;
  onDelete(): void;
}

/** A menu of a page, so that deleting takes more than one click. */
export function DeleteMenu({ label, isBusy, onDelete }: Props) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={text.moreActions} loading={isBusy}>
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          color="var(--mantine-color-error)"
          leftSection={<IconTrash size={16} />}
          onClick={onDelete}
        >
          {label}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
