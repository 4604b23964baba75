import { ActionIcon } from '@mantine/core';
import * as text from '#strings/findings/list/columns.ts';
import { LazyMenu } from '../../../components/floating/LazyMenu.tsx';
import { Tip } from '../../../components/floating/Tip.tsx';
import { IconColumns3 } from '../../../icons/icons.ts';
import { COLUMNS, canBeHidden } from './columns.ts';
import type { useColumns } from './use-columns.ts';

/** Chooses the columns of the list. */
export function ColumnMenu({ columns }: { columns: ReturnType<typeof useColumns> }) {
  return (
    <LazyMenu
      position="bottom-end"
      width={210}
      closeOnItemClick={false}
      button={(props) => (
        <Tip label={text.columns}>
          <ActionIcon {...props} variant="default" size={36} aria-label={text.columns}>
            <IconColumns3 size={18} />
          </ActionIcon>
        </Tip>
      )}
    >
      {(Menu) => (
        <>
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
        </>
      )}
    </LazyMenu>
  );
}
