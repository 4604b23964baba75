import { queryOptions } from '@tanstack/react-query';
import { type Schemas, ServiceError } from '../app/api.ts';
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

const TRANSFER_POLL_MS = 2_000;

/** The transfer of a project; null if there is none. */
export const transferQuery = (
  { slug, api }: OrgSession,
  { id: project, transferring }: Pick<Schemas['Project'], 'id' | 'transferring'>,
) =>
  queryOptions({
    queryKey: ['org', slug, 'transfers', project],
    queryFn: async ({ signal }) => {
      const params = { path: { slug: project } };
      const transfer = api.get('/projects/{slug}/transfer', { params, signal });
      return await transfer
        .then(({ result }) => result)
        .catch((error) => {
          if (error instanceof ServiceError && error.status === 404) return null;
          throw error;
        });
    },
    enabled: ({ state }) => transferring === true || state.data !== undefined,
    refetchInterval: ({ state }) => (state.data ? TRANSFER_POLL_MS : false),
    staleTime: 0,
  });
