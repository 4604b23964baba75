import { queryOptions } from '@tanstack/react-query';
import type { OrgSession } from '../app/session.ts';

/** The projects of an organization, by name. */
export const projectsQuery = ({ slug, api }: OrgSession) =>
  queryOptions({
    queryKey: ['org', slug, 'projects'],
    queryFn: async ({ signal }) => (await api.get('/projects', { signal })).result,
    staleTime: 60_000,
  });

/** One project, by its slug or id. */
export const projectQuery = ({ slug, api }: OrgSession, project: string) =>
  queryOptions({
    queryKey: ['org', slug, 'projects', project],
    queryFn: async ({ signal }) =>
      (await api.get('/projects/{slug}', { params: { path: { slug: project } }, signal })).result,
    staleTime: 60_000,
  });
