import { queryOptions } from '@tanstack/react-query';
import type { Schemas } from '../app/api.ts';
import type { OrgSession } from '../app/session.ts';

/** Days by kind; null for ever. */
export type Retention = Schemas['Retention'];

/** How long the organization keeps findings and scans. */
export const retentionQuery = ({ slug, api }: OrgSession) =>
  queryOptions({
    queryKey: ['org', slug, 'retention'],
    queryFn: async ({ signal }): Promise<Retention> =>
      (await api.get('/settings/retention', { signal })).result,
  });
