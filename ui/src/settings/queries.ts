import { queryOptions } from '@tanstack/react-query';
import type { OrgSession } from '../app/session.ts';

/** The use and the quota of storage. */
export const storageQuery = ({ slug, api }: OrgSession) =>
  queryOptions({
    queryKey: ['org', slug, 'storage'],
    queryFn: async ({ signal }) => (await api.get('/settings/storage', { signal })).result,
  });

/** The feature flags of an organization. */
export const featuresQuery = ({ slug, api }: OrgSession) =>
  queryOptions({
    queryKey: ['org', slug, 'features'],
    queryFn: async ({ signal }) => (await api.get('/org-features', { signal })).result,
  });

/** The security settings of an organization. */
export const securityQuery = ({ slug, api }: OrgSession) =>
  queryOptions({
    queryKey: ['org', slug, 'security'],
    queryFn: async ({ signal }) => (await api.get('/settings/security', { signal })).result,
  });
