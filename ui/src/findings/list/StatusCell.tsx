import { Menu, UnstyledButton } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import * as text from '#strings/findings/list.tsx';
import { StatusItems } from '../../triage/StatusItems.tsx';
import type { UserStatus } from '../../triage/statuses.ts';
import type { ListedFinding } from '../list-queries.ts';
import { STATUS_NAMES, StatusBadge } from '../Severity.tsx';
import { titleOf } from '../title.ts';

interface Props {
  finding: ListedFinding;
  mayTriage: boolean;
  setStatus(this: void, finding: ListedFinding, status: UserStatus): void;
  tabIndex: number;
}

/** The status of a finding, with a menu to set it if the role allows it. */
export function StatusCell({ finding, mayTriage, setStatus, tabIndex }: Props) {
  const { status, regressed, title } = finding;
  const [opened, setOpened] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const wasOpened = useRef(false);
  // A menu per row is expensive. The menu is created on click, and the button gets the focus back afterwards.
  useEffect(() => {
    if (wasOpened.current && !opened) button.current?.focus();
    wasOpened.current = opened;
  }, [opened]);
  if (!mayTriage) return <StatusBadge status={status} regressed={regressed} />;
  const target = (
    <UnstyledButton
      ref={button}
      display="flex"
      tabIndex={tabIndex}
      aria-haspopup="menu"
      aria-expanded={opened}
      aria-label={text.statusWithChange(STATUS_NAMES[status], regressed)}
      title={text.changeStatusOf(titleOf(title))}
      onClick={(event) => {
        event.stopPropagation();
        setOpened(true);
      }}
    >
      <StatusBadge status={status} regressed={regressed} />
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
