import type { QueryClient } from '@tanstack/react-query';
import type { FindingStatus } from '../app/search.ts';
import type { OrgSession } from '../app/session.ts';
import { findingQuery, placesKey } from '../findings/finding-queries.ts';
import {
  type FindingFilter,
  type FindingsPage,
  type ListedFinding,
  PAGE_ROWS,
  rowsKey,
} from '../findings/list-queries.ts';
import type { Change } from './change-statuses.ts';

/**
 * Shows new statuses in the list and on the page of a finding before the service has answered.
 * @returns reverts the display
 */
export function showStatuses(
  queries: QueryClient,
  org: OrgSession,
  filter: FindingFilter,
  changes: readonly Change[],
): () => void {
  // A response that is on its way does not contain the changes.
  queries.cancelQueries({ queryKey: rowsKey(org) });
  const revertRows = showInList(queries, org, filter, new Map(changes.map(({ id, status }) => [id, status])));
  const reverts = changes.map((change) => showOnPage(queries, org, change));
  return () => {
    revertRows();
    for (const revert of reverts) revert();
  };
}

/** Findings that no longer match the filter leave the list, and later rows move up, as they will on the server. */
function showInList(
  queries: QueryClient,
  org: OrgSession,
  filter: FindingFilter,
  statuses: ReadonlyMap<string, FindingStatus>,
): () => void {
  const cached = queries
    .getQueriesData<FindingsPage>({ queryKey: [...rowsKey(org), filter] })
    .flatMap(([key, data]) => (data ? [{ key, start: (Number(key.at(-1)) - 1) * PAGE_ROWS, data }] : []))
    .sort((a, b) => a.start - b.start);
  const moved = new Map<number, ListedFinding>();
  let gone = 0;
  for (const { start, data } of cached) {
    for (const [i, row] of data.rows.entries()) {
      const status = row && statuses.get(row.id);
      if (status && filter.status?.includes(status) === false) gone++;
      else if (row) moved.set(start + i - gone, status ? { ...row, status } : row);
    }
  }
  for (const { key, start, data } of cached) {
    const total = data.total - gone;
    const length = Math.max(0, Math.min(PAGE_ROWS, total - start));
    queries.setQueryData(key, { total, rows: Array.from({ length }, (_, i) => moved.get(start + i)) });
  }
  return () => {
    for (const { key, data } of cached) queries.setQueryData(key, data);
  };
}

function showOnPage(queries: QueryClient, org: OrgSession, { id, status }: Change): () => void {
  const { queryKey } = findingQuery(org, id);
  const before = queries.getQueryData(queryKey);
  if (!before) return () => {};
  queries.cancelQueries({ queryKey, exact: true });
  queries.setQueryData(queryKey, { ...before, status, status_changed_at: new Date().toISOString() });
  return () => queries.setQueryData(queryKey, (now) => (now?.status === status ? before : now));
}

/** Marks all data of the organization as stale, and reads the findings on the current page again. */
export async function refreshFindings(queries: QueryClient, org: OrgSession): Promise<void> {
  await queries.invalidateQueries({ queryKey: ['org', org.slug], refetchType: 'none' });
  const isFinding = (key: readonly unknown[]) => key[2] === 'finding' && key.length === 4;
  await Promise.all([
    queries.refetchQueries({ queryKey: rowsKey(org), type: 'active' }),
    queries.refetchQueries({ queryKey: placesKey(org), type: 'active' }),
    queries.refetchQueries({
      queryKey: ['org', org.slug],
      type: 'active',
      predicate: ({ queryKey }) => isFinding(queryKey),
    }),
  ]);
}
