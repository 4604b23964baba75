import { queryOptions } from '@tanstack/react-query';
import type { OrgSession } from '../app/session.ts';

/** The members of an organization, by role and name. */
export const membersQuery = ({ slug, api }: OrgSession) =>
  queryOptions({
    queryKey: ['org', slug, 'members'],
    queryFn: async ({ signal }) => (await api.get('/members', { signal })).result,
    staleTime: 60_000,
  });
