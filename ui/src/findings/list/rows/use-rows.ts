import { type UseQueryResult, useQueries, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useOrg } from '../../../app/session.ts';
import {
  type FindingFilter,
  type FindingsPage,
  findingsPageQuery,
  type ListedFinding,
  PAGE_ROWS,
  rowsKey,
} from '../../list-queries.ts';

/** The number of rows that are prefetched on either side of the visible ones. */
const AHEAD = 150;
/** Dragging the scrollbar passes many pages. Only the page where it rests is read. */
const REST_MS = 60;

function pagesOf(first: number, last: number, total = Number.POSITIVE_INFINITY): number[] {
  // The visible rows are read first.
  const ahead = total === Number.POSITIVE_INFINITY ? 0 : AHEAD;
  const from = Math.floor(Math.max(0, first - ahead) / PAGE_ROWS) + 1;
  const end = Math.max(1, Math.ceil(total / PAGE_ROWS));
  const to = Math.min(end, Math.floor((last + ahead) / PAGE_ROWS) + 1);
  return Array.from({ length: Math.max(1, to - from + 1) }, (_, i) => Math.min(end, from) + i);
}

const combine = (results: UseQueryResult<FindingsPage>[]) => {
  const newest = results
    .filter(({ data }) => data)
    .reduce<UseQueryResult<FindingsPage> | undefined>(
      (best, one) => (best && best.dataUpdatedAt >= one.dataUpdatedAt ? best : one),
      undefined,
    );
  return {
    datas: results.map(({ data }) => data),
    newest: newest?.data && {
      total: newest.data.total,
      isCapped: newest.data.isCapped,
      at: newest.dataUpdatedAt,
    },
    error: results.find(({ data, error }) => error && !data)?.error ?? undefined,
    busy: results.some(({ isPending }) => isPending),
  };
};

export type Rows = ReturnType<typeof useRows>;

/**
 * The rows of the list by position. Pages around the visible rows are loaded.
 * @param range first and last visible row
 */
export function useRows(filter: FindingFilter, range: readonly [number, number]) {
  const org = useOrg();
  const queries = useQueryClient();
  const [known, setKnown] = useState<{ total: number; isCapped: boolean; at: number }>();
  const wanted = pagesOf(...range, known?.total);
  const [settled, setSettled] = useState(wanted);
  const near = wanted.some((page) => settled.includes(page));
  const pages = near ? wanted : settled;
  const wantedKey = wanted.join();
  useEffect(() => {
    const next = wantedKey.split(',').map(Number);
    const timer = setTimeout(() => setSettled(next), near ? 0 : REST_MS);
    return () => clearTimeout(timer);
  }, [wantedKey, near]);

  const { datas, newest, error, busy } = useQueries({
    queries: pages.map((page) => findingsPageQuery(org, filter, page)),
    combine,
  });
  // Pages may have different totals while agents push. The newest one counts.
  if (newest && newest.at > (known?.at ?? 0)) setKnown(newest);
  const first = pages[0] ?? 1;
  const rowAt = (index: number): ListedFinding | undefined =>
    datas[Math.floor(index / PAGE_ROWS) + 1 - first]?.rows[index % PAGE_ROWS];

  return {
    total: known?.total,
    /** Whether more findings match than the total. The list ends there. */
    isCapped: known?.isCapped ?? false,
    /** The numbers of the loaded pages. */
    pages,
    rowAt,
    /** The cached row at a position, rendered or not. */
    rowNow: (index: number): ListedFinding | undefined =>
      queries.getQueryData(findingsPageQuery(org, filter, Math.floor(index / PAGE_ROWS) + 1).queryKey)?.rows[
        index % PAGE_ROWS
      ],
    error,
    busy,
    /**
     * Reads the rows between two positions.
     * @param onProgress called with the number of rows read
     */
    async between(
      from: number,
      to: number,
      signal: AbortSignal,
      onProgress: (read: number) => void,
    ): Promise<ListedFinding[]> {
      const rows: ListedFinding[] = [];
      for (let page = Math.floor(from / PAGE_ROWS); page <= Math.floor(to / PAGE_ROWS); page++) {
        signal.throwIfAborted();
        const data = await queries.query(findingsPageQuery(org, filter, page + 1));
        for (const [i, row] of data.rows.entries()) {
          const index = page * PAGE_ROWS + i;
          if (row && index >= from && index <= to) rows.push(row);
        }
        onProgress(rows.length);
      }
      return rows;
    },
    retry: () => queries.refetchQueries({ queryKey: rowsKey(org), type: 'active' }),
  };
}
