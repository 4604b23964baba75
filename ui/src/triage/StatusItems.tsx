import { Kbd, type Menu as MenuParts } from '@mantine/core';
import type { FindingStatus } from '../app/search.ts';
import { useShortcutsOn } from '../components/keyboard/shortcuts.ts';
import { STATUS_NAMES } from '../findings/Severity.tsx';
import { IconCheck } from '../icons/icons.ts';
import { STATUS_KEYS, USER_STATUSES, type UserStatus } from './statuses.ts';

interface Props {
  menu: typeof MenuParts;
  current?: FindingStatus | undefined;
  onChoose(status: UserStatus): void;
}

/** A menu item for each status that users set. */
export function StatusItems({ menu: Menu, current, onChoose }: Props) {
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
      rightSection={
        keys && (
          <Kbd size="xs" visibleFrom="sm">
            {STATUS_KEYS[status]}
          </Kbd>
        )
      }
    >
      {STATUS_NAMES[status]}
    </Menu.Item>
  ));
}
