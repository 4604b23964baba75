import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Schemas } from '../app/api.ts';
import type { OrgSession } from '../app/session.ts';
import type { filterOf } from './search.ts';

export type OrgActivityEntry = Schemas['OrgActivityEntry'];
export type ActivityFilter = ReturnType<typeof filterOf>;

/** A page of the activity of all findings. */
export const orgActivityQuery = (
  org: OrgSession,
  filter: ActivityFilter,
  { page, perPage }: { page: number; perPage: number },
) =>
  queryOptions({
    queryKey: ['org', org.slug, 'activity', filter, page, perPage],
    queryFn: async ({ signal }) => {
      const query = { ...filter, page, per_page: perPage } as never;
      const { result, resultInfo } = await org.api.get('/activity', { params: { query }, signal });
      const { total = 0, total_pages: pages = 0 } = resultInfo ?? {};
      return { entries: result as OrgActivityEntry[], total, pages };
    },
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
