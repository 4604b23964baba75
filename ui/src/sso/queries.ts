import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { api } from '../app/api.ts';
import type { OrgSession } from '../app/session.ts';

export const connectionsQuery = ({ slug, api }: OrgSession) =>
  queryOptions({
    queryKey: ['org', slug, 'connections'],
    queryFn: async ({ signal }) => (await api.get('/settings/connections', { signal })).result,
  });

export const domainsQuery = ({ slug, api }: OrgSession) =>
  queryOptions({
    queryKey: ['org', slug, 'domains'],
    queryFn: async ({ signal }) => (await api.get('/settings/domains', { signal })).result,
  });

export const provisioningQuery = ({ slug, api }: OrgSession) =>
  queryOptions({
    queryKey: ['org', slug, 'provisioning'],
    queryFn: async ({ signal }) => (await api.get('/settings/scim', { signal })).result,
  });

/** Loads again what a change of connections changes: groups that were received have other roles then. */
export const renewConnections = (queries: QueryClient, org: OrgSession) =>
  Promise.all([
    queries.invalidateQueries(connectionsQuery(org)),
    queries.invalidateQueries(provisioningQuery(org)),
  ]);

export const identitiesQuery = queryOptions({
  queryKey: ['identities'],
  queryFn: async ({ signal }) => (await api.get('/profile/identities', { signal })).result,
});
