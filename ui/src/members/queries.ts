import { queryOptions } from '@tanstack/react-query';
import type { OrgSession } from '../app/session.ts';

/** The members of an organization, by role and name. */
export const membersQuery = ({ slug, api }: OrgSession) =>
  queryOptions({
    queryKey: ['org', slug, 'members'],
    queryFn: async ({ signal }) => (await api.get('/members', { signal })).result,
    staleTime: 60_000,
  });

/** The members who reach a project. */
export const reachingQuery = ({ slug, api }: OrgSession, project_id: string) =>
  queryOptions({
    queryKey: ['org', slug, 'members', 'of', project_id],
    queryFn: async ({ signal }) =>
      (await api.get('/members', { params: { query: { project_id } }, signal })).result,
    staleTime: 60_000,
  });
