import { useLocalStorage } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { number } from '../../components/numbers.ts';
import { ago } from '../../components/time/ago.ts';
import { dateTime } from '../../components/time/Time.tsx';
import type { ListedFinding } from '../list-queries.ts';
import { SeverityBadge } from '../Severity.tsx';

/** The sort keys. */
export type SortKey = 'created_at' | 'last_seen_at' | 'severity' | 'cvss_score';

export type ColumnId =
  | 'severity'
  | 'title'
  | 'status'
  | 'project'
  | 'cwe'
  | 'cve'
  | 'cvss'
  | 'source'
  | 'first_seen'
  | 'last_seen'
  | 'seen_count';

interface Column {
  id: ColumnId;
  label: string;
  /** In rem. */
  width: number;
  sort?: SortKey;
}

export const COLUMNS: readonly Column[] = [
  { id: 'severity', label: 'Severity', width: 6.5, sort: 'severity' },
  { id: 'title', label: 'Finding', width: 18 },
  { id: 'status', label: 'Status', width: 8.25 },
  { id: 'project', label: 'Project', width: 8.5 },
  { id: 'cwe', label: 'CWE', width: 5.75 },
  { id: 'cve', label: 'CVE', width: 9 },
  { id: 'cvss', label: 'CVSS', width: 4.75, sort: 'cvss_score' },
  { id: 'source', label: 'Source', width: 7 },
  { id: 'first_seen', label: 'First seen', width: 7.75, sort: 'created_at' },
  { id: 'last_seen', label: 'Last seen', width: 7.75, sort: 'last_seen_at' },
  { id: 'seen_count', label: 'Times seen', width: 6 },
];

const ALWAYS: readonly ColumnId[] = ['title'];
const DEFAULT: ColumnId[] = ['severity', 'title', 'status', 'project', 'cwe', 'cvss', 'last_seen'];

/** The visible columns, stored in the browser. */
export function useColumns() {
  const [chosen, setChosen] = useLocalStorage<ColumnId[]>({
    key: 'finding-columns',
    defaultValue: DEFAULT,
    getInitialValueInEffect: false,
  });
  const ids = Array.isArray(chosen) ? chosen : DEFAULT;
  return {
    ids,
    shown: COLUMNS.filter(({ id }) => ids.includes(id) || ALWAYS.includes(id)),
    choose: (next: string[]) => setChosen(COLUMNS.map(({ id }) => id).filter((id) => next.includes(id))),
    reset: () => setChosen(DEFAULT),
  };
}

export const canBeHidden = (id: ColumnId): boolean => !ALWAYS.includes(id);

/** The widths of the cells of a row. */
export const template = (columns: readonly Column[], selects: boolean): string =>
  [
    ...(selects ? ['2.75rem'] : ['0.75rem']),
    ...columns.map(({ id, width }) => (id === 'title' ? `minmax(${width}rem, 1fr)` : `${width}rem`)),
  ].join(' ');

export const minWidth = (columns: readonly Column[]): string =>
  `${columns.reduce((sum, { width }) => sum + width, 2.75)}rem`;

/** The content of a cell. The row renders title and status. */
export function cell(
  id: Exclude<ColumnId, 'title' | 'status'>,
  finding: ListedFinding,
  projectName: string | undefined,
  now: number,
): ReactNode {
  switch (id) {
    case 'severity':
      return <SeverityBadge severity={finding.severity} />;
    case 'project':
      return projectName && <bdi>{projectName}</bdi>;
    case 'cwe':
      return finding.cwe;
    case 'cve':
      return finding.cve;
    case 'cvss':
      return finding.cvss_score?.toFixed(1);
    case 'source':
      return finding.source && <bdi>{finding.source}</bdi>;
    case 'first_seen':
      return <Seen time={finding.created_at} now={now} />;
    case 'last_seen':
      return <Seen time={finding.last_seen_at} now={now} />;
    case 'seen_count':
      return number(finding.seen_count);
  }
}

/** A time without a tooltip component, because the list would have hundreds of them. */
export const Seen = ({ time, now }: { time: string; now: number }) => (
  <time dateTime={time} title={dateTime(time)}>
    {ago(time, now)}
  </time>
);
