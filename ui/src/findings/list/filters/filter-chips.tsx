import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useOrg } from '../../../app/session.ts';
import { membersQuery } from '../../../members/queries.ts';
import { projectsQuery } from '../../../projects/queries.ts';
import { scanQuery } from '../../../scans/queries.ts';
import { scanName } from '../../../scans/scan-name.ts';
import type { FindingFilter } from '../../list-queries.ts';
import { SEVERITY_NAMES, STATUS_NAMES } from '../../Severity.tsx';
import { filtersBesideView } from '../../views.ts';

const CHANGE_NAMES: Record<NonNullable<FindingFilter['change']>, string> = {
  new: 'New since',
  seen_again: 'Also in',
  gone: 'Gone since',
};

const ASSIGNEES: Readonly<Record<string, string>> = { me: 'me', none: 'nobody' };

const FLAGS = [
  ['attention', 'Needs attention'],
  ['regressed', 'Regressed'],
  ['overdue', 'Overdue'],
  ['missing', 'Missing'],
  ['has_exploit', 'Exploit'],
] as const;

const TEXTS = [
  ['source', 'Source'],
  ['not_source', 'Source is not'],
  ['cwe', 'CWE'],
  ['cve', 'CVE'],
  ['rule', 'Title'],
  ['file', 'File'],
  ['path', 'Path'],
  ['not_path', 'Path is not'],
  ['found_after', 'Found since'],
  ['found_before', 'Found before'],
  ['seen_after', 'Seen since'],
  ['seen_before', 'Seen before'],
] as const;

/** A list of ids without one of them; undefined if none is left. */
const otherThan = (ids: string | undefined, id: string): string | undefined =>
  ids
    ?.split(',')
    .filter((other) => other !== id)
    .join() || undefined;

/** An active filter: its key, its name and value in words, and the change of the list that removes it. */
export type FilterChip = [
  key: string,
  label: string,
  text: ReactNode,
  without: { [K in keyof FindingFilter]?: FindingFilter[K] | undefined },
];

/** The filters that the view does not have, in words. */
export function useFilterChips(filter: FindingFilter): FilterChip[] {
  const org = useOrg();
  const beside = filtersBesideView(filter);
  const { project_id, assignee, mentions, scan_id, against, change, severity, status, q } = beside;
  const members = useQuery({ ...membersQuery(org), enabled: (assignee ?? mentions) !== undefined }).data;
  const projects = useQuery(projectsQuery(org)).data;
  const chips: FilterChip[] = [];
  if (q) chips.push(['q', 'Text', q, { q: undefined }]);
  const nameOf = (id: string) => projects?.find((project) => project.id === id)?.name ?? id;
  for (const id of project_id?.split(',') ?? [])
    chips.push([`project ${id}`, 'Project', nameOf(id), { project_id: otherThan(project_id, id) }]);
  const memberOf = (id: string) =>
    ASSIGNEES[id] ?? members?.find(({ user_id }) => user_id === id)?.name ?? id;
  for (const id of assignee?.split(',') ?? [])
    chips.push([`assignee ${id}`, 'Assignee', memberOf(id), { assignee: otherThan(assignee, id) }]);
  for (const id of mentions?.split(',') ?? [])
    chips.push([`mentions ${id}`, 'Mentions', memberOf(id), { mentions: otherThan(mentions, id) }]);
  if (scan_id !== undefined) {
    const without = { scan_id: undefined, against: undefined, change: undefined };
    chips.push(['scan', 'Scan', <ScanName key="scan" id={scan_id} />, without]);
  }
  if (against !== undefined && change) {
    const without = { against: undefined, change: undefined };
    chips.push(['change', CHANGE_NAMES[change], <ScanName key="against" id={against} />, without]);
  }
  for (const one of severity ?? []) {
    const rest = severity?.filter((other) => other !== one) ?? [];
    const without = { severity: rest.length > 0 ? rest : undefined };
    chips.push([`severity ${one}`, 'Severity', SEVERITY_NAMES[one], without]);
  }
  for (const one of status ?? []) {
    const rest = status?.filter((other) => other !== one) ?? [];
    const without = { status: rest.length > 0 ? rest : undefined };
    chips.push([`status ${one}`, 'Status', STATUS_NAMES[one], without]);
  }
  for (const [name, label] of FLAGS) {
    const value = beside[name];
    if (value !== undefined) chips.push([name, label, value ? 'yes' : 'no', { [name]: undefined }]);
  }
  for (const [name, label] of TEXTS) {
    const value = beside[name];
    if (value !== undefined) chips.push([name, label, value || 'none', { [name]: undefined }]);
  }
  return chips;
}

function ScanName({ id }: { id: string }) {
  const { data } = useQuery({ ...scanQuery(useOrg(), id), retry: false });
  return data ? scanName(data) : id;
}
