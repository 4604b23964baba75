import { ActionIcon, Menu } from '@mantine/core';
import type { ReactNode, Ref } from 'react';
import { IconDots } from '../icons/icons.ts';

interface Props {
  /** The name of the button, which says what the actions change. */
  label: string;
  width?: number;
  iconSize?: number;
  isBusy: boolean;
  ref?: Ref<HTMLButtonElement>;
  /** The items. */
  children: ReactNode;
}

/** A button with three dots and its menu, which does not open while the button is busy. */
export const ActionMenu = ({ label, width, iconSize = 16, isBusy, ref, children }: Props) => (
  <Menu position="bottom-end" disabled={isBusy} {...(width !== undefined && { width })}>
    <Menu.Target>
      <ActionIcon
        {...(ref && { ref })}
        variant="subtle"
        color="gray"
        aria-label={label}
        aria-busy={isBusy}
        loading={isBusy}
      >
        <IconDots size={iconSize} />
      </ActionIcon>
    </Menu.Target>
    <Menu.Dropdown>{children}</Menu.Dropdown>
  </Menu>
);
