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
  totalsKey,
} from '../findings/list-queries.ts';
import { isOutOf, isSettled } from '../findings/views.ts';
import { decidedBy, type Shown } from './decision.ts';

type Change = Shown & { id: string };

/** The statuses of findings as the list shows them. */
export function shownStatuses(
  queries: QueryClient,
  org: OrgSession,
  ids: ReadonlySet<string>,
): Map<string, FindingStatus> {
  // Lists that were visited before may show an earlier status.
  const pages = queries
    .getQueryCache()
    .findAll({ queryKey: rowsKey(org) })
    .map(({ state }) => state as { data: FindingsPage | undefined; dataUpdatedAt: number })
    .sort((a, b) => a.dataUpdatedAt - b.dataUpdatedAt);
  return new Map(
    pages.flatMap(({ data }) =>
      (data?.rows ?? []).flatMap((row) => (row && ids.has(row.id) ? [[row.id, row.status] as const] : [])),
    ),
  );
}

/**
 * Shows new values in the list and on the page of a finding before the service has answered.
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
  const revertRows = showInList(queries, org, filter, new Map(changes.map((change) => [change.id, change])));
  const reverts = changes.map((change) => showOnPage(queries, org, change));
  return () => {
    revertRows();
    for (const revert of reverts) revert();
  };
}

/** The fields of a finding after a change. */
function shownAfter<Finding extends Parameters<typeof decidedBy>[0] & { regressed: boolean }>(
  finding: Finding,
  change: Shown,
): Finding {
  const isSettledNow = change.status !== undefined && isSettled(change.status);
  return {
    ...decidedBy(finding, change),
    regressed: change.regressed ?? (finding.regressed && !isSettledNow),
  };
}

/** Findings that no longer match the filter leave the list, and later rows move up, as they will on the server. */
function showInList(
  queries: QueryClient,
  org: OrgSession,
  filter: FindingFilter,
  changes: ReadonlyMap<string, Shown>,
): () => void {
  const cached = queries
    .getQueriesData<FindingsPage>({ queryKey: [...rowsKey(org), filter] })
    .flatMap(([key, data]) => (data ? [{ key, start: (Number(key.at(-1)) - 1) * PAGE_ROWS, data }] : []))
    .sort((a, b) => a.start - b.start);
  const moved = new Map<number, ListedFinding>();
  let gone = 0;
  for (const { start, data } of cached) {
    for (const [i, row] of data.rows.entries()) {
      const change = row && changes.get(row.id);
      const after = row && change ? shownAfter(row, change) : row;
      if (change?.status && after && isOutOf(filter, after)) gone++;
      else if (after) moved.set(start + i - gone, after);
    }
  }
  for (const { key, start, data } of cached) {
    const { isCapped } = data;
    // The service has not counted the findings that follow a limited total.
    const total = isCapped ? data.total : data.total - gone;
    const length = Math.max(0, Math.min(PAGE_ROWS, total - start));
    const rows = Array.from({ length }, (_, i) => moved.get(start + i));
    queries.setQueryData(key, { total, isCapped, rows });
  }
  return () => {
    for (const { key, data } of cached) queries.setQueryData(key, data);
  };
}

function showOnPage(queries: QueryClient, org: OrgSession, change: Change): () => void {
  const { queryKey } = findingQuery(org, change.id);
  const before = queries.getQueryData(queryKey);
  if (!before) return () => {};
  queries.cancelQueries({ queryKey, exact: true });
  const after = shownAfter(before, change);
  const isNew = after.status !== before.status || after.regressed !== before.regressed;
  if (isNew) after.status_changed_at = new Date().toISOString();
  // The cache shares parts with the former data, so it holds a copy.
  const shown = queries.setQueryData(queryKey, after);
  return () => queries.setQueryData(queryKey, (now) => (now === shown ? before : now));
}

/** Marks all data of the organization as stale, and reads the findings on the current page again. */
export async function refreshFindings(queries: QueryClient, org: OrgSession): Promise<void> {
  await queries.invalidateQueries({ queryKey: ['org', org.slug], refetchType: 'none' });
  const isFinding = (key: readonly unknown[]) =>
    key[2] === 'finding' && (key.length === 4 || key[4] === 'activity');
  await Promise.all([
    queries.refetchQueries({ queryKey: rowsKey(org), type: 'active' }),
    queries.refetchQueries({ queryKey: placesKey(org), type: 'active' }),
    queries.refetchQueries({ queryKey: totalsKey(org), type: 'active' }),
    queries.refetchQueries({
      queryKey: ['org', org.slug],
      type: 'active',
      predicate: ({ queryKey }) => isFinding(queryKey),
    }),
  ]);
}
