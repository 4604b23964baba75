import { Kbd, Menu } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { STATUS_NAMES } from '../parts/Severity.tsx';
import { useShortcutsOn } from '../parts/shortcuts.ts';
import type { FindingStatus } from '../search.ts';
import { STATUS_KEYS, USER_STATUSES, type UserStatus } from './statuses.ts';

interface Props {
  current?: FindingStatus;
  onChoose(status: UserStatus): void;
}

/** A menu item for each status that users set. */
export function StatusItems({ current, onChoose }: Props) {
  const [keys] = useShortcutsOn();
  return USER_STATUSES.map((status) => (
    <Menu.Item
      key={status}
      onClick={(event) => {
        event.stopPropagation();
        onChoose(status);
      }}
      leftSection={
        <IconCheck size={16} aria-hidden style={{ visibility: status === current ? 'visible' : 'hidden' }} />
      }
      rightSection={keys && <Kbd size="xs">{STATUS_KEYS[status]}</Kbd>}
    >
      {STATUS_NAMES[status]}
    </Menu.Item>
  ));
}
