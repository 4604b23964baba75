import { UnstyledButton } from '@mantine/core';
import * as text from '#strings/findings/list.tsx';
import { LazyMenu } from '../../components/floating/LazyMenu.tsx';
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
  if (!mayTriage) return <StatusBadge status={status} regressed={regressed} />;
  return (
    <LazyMenu
      position="bottom-start"
      width={200}
      button={(props) => (
        <UnstyledButton
          {...props}
          display="flex"
          tabIndex={tabIndex}
          aria-label={text.statusWithChange(STATUS_NAMES[status], regressed)}
          title={text.changeStatusOf(titleOf(title))}
        >
          <StatusBadge status={status} regressed={regressed} />
        </UnstyledButton>
      )}
    >
      {(menu) => <StatusItems menu={menu} current={status} onChoose={(next) => setStatus(finding, next)} />}
    </LazyMenu>
  );
}
