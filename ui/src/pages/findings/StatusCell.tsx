import { Kbd, Menu, UnstyledButton } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { STATUS_NAMES, StatusBadge } from '../../parts/Severity.tsx';
import { STATUS_KEYS, type UserStatus, useShortcutsOn } from '../../parts/shortcuts.ts';
import type { ListedFinding } from '../../queries/findings.ts';
import type { FindingStatus } from '../../search.ts';

interface Props {
  finding: ListedFinding;
  mayTriage: boolean;
  setStatus(this: void, finding: ListedFinding, status: UserStatus): void;
  tabIndex: number;
}

/** The status of a finding, and a menu to set it for those who may. */
export function StatusCell({ finding, mayTriage, setStatus, tabIndex }: Props) {
  const { status, title } = finding;
  const [opened, setOpened] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const wasOpened = useRef(false);
  // A menu for each row would be dear: the button gets its menu when it is asked for, and the focus back afterwards.
  useEffect(() => {
    if (wasOpened.current && !opened) button.current?.focus();
    wasOpened.current = opened;
  }, [opened]);
  if (!mayTriage) return <StatusBadge status={status} />;
  const target = (
    <UnstyledButton
      ref={button}
      display="flex"
      tabIndex={tabIndex}
      aria-haspopup="menu"
      aria-expanded={opened}
      aria-label={`Status: ${STATUS_NAMES[status]}. Change`}
      title={`Change the status of ${title}`}
      onClick={(event) => {
        event.stopPropagation();
        setOpened(true);
      }}
    >
      <StatusBadge status={status} />
    </UnstyledButton>
  );
  if (!opened) return target;
  return (
    <Menu defaultOpened onClose={() => setOpened(false)} position="bottom-start" width={200}>
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown>
        <StatusItems current={status} onChoose={(next) => setStatus(finding, next)} />
      </Menu.Dropdown>
    </Menu>
  );
}

/** Items of a menu, one for each status that people set. */
export function StatusItems({
  current,
  onChoose,
}: {
  current?: FindingStatus;
  onChoose(status: UserStatus): void;
}) {
  const [keys] = useShortcutsOn();
  return (Object.entries(STATUS_KEYS) as [UserStatus, string][]).map(([status, key]) => (
    <Menu.Item
      key={status}
      onClick={(event) => {
        event.stopPropagation();
        onChoose(status);
      }}
      leftSection={
        <IconCheck size={16} aria-hidden style={{ visibility: status === current ? 'visible' : 'hidden' }} />
      }
      rightSection={keys && <Kbd size="xs">{key}</Kbd>}
    >
      {STATUS_NAMES[status]}
    </Menu.Item>
  ));
}
