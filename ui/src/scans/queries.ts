import { type QueryKey, queryOptions, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import type { Schemas } from '../app/api.ts';
import type { Severity } from '../app/search.ts';
import type { OrgSession } from '../app/session.ts';
import { readFindings } from '../findings/list-queries.ts';

export type Scan = Schemas['Scan'];
export type ScanStatus = Scan['status'];
export const SCAN_STATUSES = ['running', 'completed', 'failed'] as const satisfies readonly ScanStatus[];

/** The filter of scans, with the names of `GET /scans`. */
export interface ScanFilter {
  project_id?: string;
  status?: ScanStatus;
  page?: number;
  per_page?: number;
}

/** The interval of reads while a scan runs. */
export const POLL_MS = 5000;
/** A scan that runs longer has probably stopped without being ended. */
const STALE_MS = 2 * 3_600_000;

/** Whether a scan has been running for too long. */
export const isStale = ({ status, started_at }: Scan, now = Date.now()): boolean =>
  status === 'running' && now - new Date(started_at).getTime() > STALE_MS;

/** Whether the scan completed although its scanner reported problems. */
export const hasWarnings = ({ status, error_message }: Scan): boolean =>
  status === 'completed' && Boolean(error_message);

/** Whether the scan is expected to change. */
export const isLive = (scan: Scan): boolean => scan.status === 'running' && !isStale(scan);

/** The prefix of the keys of all queries of scans. */
export const scansKey = ({ slug }: OrgSession) => ['org', slug, 'scans'] as const;

/** Reads once more after the last scan has ended, which brings its last findings. */
export function useFinalRead(runs: boolean, queryKey: QueryKey): void {
  const queries = useQueryClient();
  const read = useEffectEvent(() => void queries.invalidateQueries({ queryKey }));
  useEffect(() => (runs ? read : undefined), [runs]);
}

/** A page of scans, newest first, with the total. It is read again while one of them runs. */
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

/** One scan. It is read again while it runs. */
export const scanQuery = (org: OrgSession, id: string) =>
  queryOptions({
    queryKey: [...scansKey(org), id],
    queryFn: async ({ signal }) =>
      (await org.api.get('/scans/{id}', { params: { path: { id } }, signal })).result,
    refetchInterval: ({ state }) => (state.data && isLive(state.data) ? POLL_MS : false),
  });

/** The differences between two scans. The default is the previous scan. */
export const scanChangesQuery = (org: OrgSession, id: string, against: string | undefined) =>
  queryOptions({
    queryKey: [...scansKey(org), id, 'changes', against],
    queryFn: async ({ signal }) => {
      const params = { path: { id }, query: against === undefined ? {} : { against } };
      return (await org.api.get('/scans/{id}/changes', { params, signal })).result;
    },
  });

/** Whether a scan passes its gate, and the new findings that fail it. */
export const scanGateQuery = (org: OrgSession, id: string, fail_on: Severity) =>
  queryOptions({
    queryKey: [...scansKey(org), id, 'gate', fail_on],
    queryFn: async ({ signal }) =>
      (await org.api.get('/scans/{id}/gate', { params: { path: { id }, query: { fail_on } }, signal }))
        .result,
  });

/** The first findings of a scan by priority. */
export const scanFindingsQuery = (org: OrgSession, id: string, count: number) =>
  queryOptions({
    queryKey: [...scansKey(org), id, 'findings', count],
    queryFn: async ({ signal }) => {
      const filter = { scan_id: id, sort: '-priority' } as const;
      const { rows: findings, total } = await readFindings(org, filter, 1, count, signal);
      return { findings, total };
    },
  });
