import { ActionIcon, Menu, Tooltip } from '@mantine/core';
import { IconColumns3 } from '@tabler/icons-react';
import * as text from '#strings/findings/list/columns.ts';
import { COLUMNS, canBeHidden } from './columns.ts';
import type { useColumns } from './use-columns.ts';

/** Chooses the columns of the list. */
export function ColumnMenu({ columns }: { columns: ReturnType<typeof useColumns> }) {
  return (
    <Menu position="bottom-end" width={210} closeOnItemClick={false}>
      <Menu.Target>
        <Tooltip label={text.columns}>
          <ActionIcon variant="default" size={36} aria-label={text.columns}>
            <IconColumns3 size={18} />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{text.columns}</Menu.Label>
        <Menu.CheckboxGroup value={columns.ids} onChange={columns.choose}>
          {COLUMNS.filter(({ id }) => canBeHidden(id)).map(({ id, label }) => (
            <Menu.CheckboxItem key={id} value={id}>
              {label}
            </Menu.CheckboxItem>
          ))}
        </Menu.CheckboxGroup>
        <Menu.Divider />
        <Menu.Item onClick={columns.reset}>{text.reset}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
