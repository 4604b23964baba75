import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Schemas } from '../app/api.ts';
import type { OrgSession } from '../app/session.ts';
import type { filterOf } from './search.ts';

export type AuditEntry = Schemas['AuditEntry'];

/** A page of the audit log. */
export const auditQuery = (
  org: OrgSession,
  filter: ReturnType<typeof filterOf>,
  page: number,
  perPage: number,
) =>
  queryOptions({
    queryKey: ['org', org.slug, 'audit', filter, page, perPage],
    queryFn: async ({ signal }) => {
      const query = { ...filter, page, per_page: perPage } as never;
      const { result, resultInfo } = await org.api.get('/audit', { params: { query }, signal });
      const { total = 0, total_pages: pages = 0 } = resultInfo ?? {};
      return { entries: result as AuditEntry[], total, pages };
    },
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
