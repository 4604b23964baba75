import { UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import * as text from '#strings/findings/list/columns.ts';
import * as listText from '#strings/findings/list.tsx';
import { unknownMember } from '#strings/members/unknown.ts';
import { UNRESOLVED } from '../../../app/search.ts';
import { useOrg } from '../../../app/session.ts';
import { LazyMenu } from '../../../components/floating/LazyMenu.tsx';
import { ago } from '../../../components/time/ago.ts';
import { dateTime } from '../../../components/time/Time.tsx';
import { membersQuery } from '../../../members/queries.ts';
import { projectsQuery } from '../../../projects/queries.ts';
import { StatusItems } from '../../../triage/StatusItems.tsx';
import type { UserStatus } from '../../../triage/statuses.ts';
import type { ListedFinding } from '../../list-queries.ts';
import { SeverityBadge, SeverityMark, STATUS_NAMES, StatusBadge } from '../../Severity.tsx';
import { titleOf } from '../../title.ts';
import classes from '../FindingsGrid.module.css';
import type { ColumnId } from './columns.ts';

/** The names that rows show, by id. */
export interface Names {
  projects: ReadonlyMap<string, string>;
  members: ReadonlyMap<string, string>;
  /** For members without a name. */
  unknownMember: string;
}

/** The content of a cell. The row renders title and status. */
export function cell(
  id: Exclude<ColumnId, 'title' | 'status'>,
  finding: ListedFinding,
  { projects, members, unknownMember }: Names,
  now: number,
  isCompact: boolean,
): ReactNode {
  switch (id) {
    case 'severity':
      return isCompact ? (
        <SeverityMark severity={finding.severity} />
      ) : (
        <SeverityBadge severity={finding.severity} />
      );
    case 'project':
      return <Name name={projects.get(finding.project_id)} />;
    case 'assignee':
      return finding.assignee_id && <Name name={members.get(finding.assignee_id) ?? unknownMember} />;
    case 'due':
      return finding.due_at && <Due finding={finding} time={finding.due_at} now={now} />;
    case 'cwe':
      return finding.cwe;
    case 'cve':
      return finding.cve;
    case 'cvss':
      return finding.cvss_score?.toFixed(1);
    case 'source':
      return <Name name={finding.source} />;
    case 'rule':
      return <Name name={finding.rule_id} />;
    case 'first_seen':
      return <Seen time={finding.created_at} now={now} isAge />;
    case 'last_seen':
      return <Seen time={finding.last_seen_at} now={now} />;
    case 'seen_count':
      return text.times(finding.seen_count);
  }
}

const Name = ({ name }: { name: string | undefined }) => name && <bdi title={name}>{name}</bdi>;

const DAY_MS = 86_400_000;

/** A due date in words. It is marked when it has passed and the finding is not resolved. */
function Due({ finding, time, now }: { finding: ListedFinding; time: string; now: number }) {
  const isOpen = finding.regressed || UNRESOLVED.some((status) => status === finding.status);
  const late = now - new Date(time).getTime();
  const days = Math.floor(late / DAY_MS);
  const words = late < 0 ? ago(time, now) : days === 0 ? text.overdueToday : text.overdue(days);
  return (
    <time
      dateTime={time}
      title={dateTime(time)}
      className={isOpen && late >= 0 ? classes.overdue : undefined}
    >
      {isOpen ? words : ago(time, now)}
    </time>
  );
}

interface SeenProps {
  time: string;
  now: number;
  /** Such as "3h ago" instead of "3 hours ago". */
  isShort?: boolean;
  /** Such as "3h". */
  isAge?: boolean;
}

/** A time without a tooltip component, because the list would have hundreds of them. */
export const Seen = ({ time, now, isShort = false, isAge = false }: SeenProps) => (
  <time dateTime={time} title={dateTime(time)}>
    {isAge ? text.ageOf(ago(time, now, true)) : ago(time, now, isShort)}
  </time>
);

/** The names of projects and members by id. Members are loaded if a column shows them. */
export function useNames(columns: readonly { id: string }[]): Names {
  const org = useOrg();
  const projects = useQuery(projectsQuery(org)).data;
  const members = useQuery({
    ...membersQuery(org),
    enabled: columns.some(({ id }) => id === 'assignee'),
  }).data;
  return useMemo(
    () => ({
      projects: new Map(projects?.map(({ id, name }) => [id, name])),
      members: new Map(members?.map(({ user_id, name, email }) => [user_id, name || email])),
      unknownMember: unknownMember(org.isLimited),
    }),
    [projects, members, org.isLimited],
  );
}

interface Props {
  finding: ListedFinding;
  mayTriage: boolean;
  setStatus(this: void, finding: ListedFinding, status: UserStatus): void;
  tabIndex: number;
}

/** The status of a finding, with a menu to set it if the role allows it. */
export function StatusCell({ finding, mayTriage, setStatus, tabIndex }: Props) {
  const { status, regressed, proposed, title } = finding;
  const badge = <StatusBadge status={status} regressed={regressed} proposed={proposed} />;
  if (!mayTriage) return badge;
  return (
    <LazyMenu
      position="bottom-start"
      width={200}
      button={(props) => (
        <UnstyledButton
          {...props}
          display="flex"
          tabIndex={tabIndex}
          aria-label={listText.statusWithChange(STATUS_NAMES[status], { regressed, proposed })}
          title={listText.changeStatusOf(titleOf(title))}
        >
          {badge}
        </UnstyledButton>
      )}
    >
      {(menu) => (
        <StatusItems
          menu={menu}
          current={regressed ? undefined : status}
          onChoose={(next) => setStatus(finding, next)}
        />
      )}
    </LazyMenu>
  );
}
