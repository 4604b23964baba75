import { type QueryKey, queryOptions, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { Schemas } from '../app/api.ts';
import type { OrgSession } from '../app/session.ts';

export type Scan = Schemas['Scan'];
export type ScanStatus = Scan['status'];

/** Which scans; named as `GET /scans` names it. */
export interface ScanFilter {
  project_id?: string;
  status?: ScanStatus;
  page?: number;
  per_page?: number;
}

/** How often what runs is looked at. */
export const POLL_MS = 5000;
/** A scan that runs longer has most likely died without a word. */
const STALE_MS = 2 * 3_600_000;

/** Whether a scan is said to run, but for too long to be believed. */
export const isStale = ({ status, started_at }: Scan, now = Date.now()): boolean =>
  status === 'running' && now - new Date(started_at).getTime() > STALE_MS;

/** Whether something is going to change by itself. */
export const isLive = (scan: Scan): boolean => scan.status === 'running' && !isStale(scan);

/** What keys of all that is read of scans begin with. */
export const scansKey = ({ slug }: OrgSession) => ['org', slug, 'scans'] as const;

/** Reads once more what was asked for while scans ran: what ends has brought its last findings with it. */
export function useLastWord(runs: boolean, queryKey: QueryKey): void {
  const queries = useQueryClient();
  const latest = useRef(queryKey);
  useEffect(() => {
    latest.current = queryKey;
  });
  useEffect(() => {
    if (!runs) return;
    return () => {
      queries.invalidateQueries({ queryKey: latest.current });
    };
  }, [runs, queries]);
}

/** A page of scans, newest first, with how many there are; asked for again while one of them runs. */
export const scansQuery = (org: OrgSession, filter: ScanFilter = {}) =>
  queryOptions({
    queryKey: [...scansKey(org), 'list', filter],
    queryFn: async ({ signal }) => {
      const { status, ...others } = filter;
      const query = { page: 1, ...others, ...(status && { status: [status] }) };
      const { result, resultInfo } = await org.api.get('/scans', { params: { query }, signal });
      return {
        scans: result,
        total: resultInfo?.total ?? result.length,
        pages: resultInfo?.total_pages ?? 1,
      };
    },
    refetchInterval: ({ state }) => (state.data?.scans.some(isLive) ? POLL_MS : false),
  });

/** One scan; asked for again while it runs. */
export const scanQuery = (org: OrgSession, id: string) =>
  queryOptions({
    queryKey: [...scansKey(org), id],
    queryFn: async ({ signal }) =>
      (await org.api.get('/scans/{id}', { params: { path: { id } }, signal })).result,
    refetchInterval: ({ state }) => (state.data && isLive(state.data) ? POLL_MS : false),
  });

/** How a scan differs from another; from the one before where none is named. */
export const scanChangesQuery = (org: OrgSession, id: string, against: string | undefined) =>
  queryOptions({
    queryKey: [...scansKey(org), id, 'changes', against],
    queryFn: async ({ signal }) => {
      const params = { path: { id }, query: against === undefined ? {} : { against } };
      return (await org.api.get('/scans/{id}/changes', { params, signal })).result;
    },
  });

/** The gravest findings of a scan. */
export const scanFindingsQuery = (org: OrgSession, id: string, count: number) =>
  queryOptions({
    queryKey: [...scansKey(org), id, 'findings', count],
    queryFn: async ({ signal }) => {
      const query = {
        scan_id: id,
        sort: '-severity',
        omit: 'description',
        page: 1,
        per_page: count,
      } as const;
      const { result, resultInfo } = await org.api.get('/findings', { params: { query }, signal });
      return { findings: result, total: resultInfo?.total ?? result.length };
    },
  });
