import { queryOptions } from '@tanstack/react-query';
import type { Schemas } from '../app/api.ts';
import type { OrgSession } from '../app/session.ts';
import { destinationsKey } from '../webhooks/queries.ts';

export type Integration = Schemas['Integration'];

export const integrationsQuery = (org: OrgSession) =>
  queryOptions({
    queryKey: destinationsKey(org, 'integrations'),
    queryFn: async ({ signal }) => (await org.api.get('/integrations', { signal })).result,
  });
