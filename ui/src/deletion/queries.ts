import { queryOptions } from '@tanstack/react-query';
import type { Schemas } from '../app/api.ts';
import type { OrgSession } from '../app/session.ts';

export type Deletion = Schemas['Deletion'];

export const PER_PAGE = 50;
/** The interval of reads while a deletion is in progress. */
export const POLL_MS = 1_500;

/** Whether findings are being deleted or restored. */
export const isInProgress = ({ state }: Deletion): boolean => state === 'deleting' || state === 'restoring';

const deletionsKey = ({ slug }: OrgSession) => ['org', slug, 'deletions'] as const;

/** A page of the deletions that can be undone, newest first. */
export const deletionsQuery = (org: OrgSession, page: number) =>
  queryOptions({
    queryKey: [...deletionsKey(org), page],
    queryFn: async ({ signal }) => {
      const params = { query: { page, per_page: PER_PAGE } };
      const { result, resultInfo } = await org.api.get('/deletions', { params, signal });
      return { deletions: result, pages: resultInfo?.total_pages ?? 1 };
    },
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.deletions.some(isInProgress) ? POLL_MS : false),
  });

/** How many findings only this scan has reported. */
export const scanPreviewQuery = (org: OrgSession, id: string) =>
  queryOptions({
    queryKey: [...deletionsKey(org), 'scan', id],
    queryFn: async ({ signal }) =>
      (await org.api.get('/scans/{id}/delete/preview', { params: { path: { id } }, signal })).result,
    staleTime: 0,
    gcTime: 0,
  });
