import { queryOptions } from '@tanstack/react-query';
import type { Schemas } from '../app/api.ts';
import type { OrgSession } from '../app/session.ts';

/** Days by severity; null for none. */
export type DueDates = Schemas['DueDates'];

/** After how many days findings of the organization are due. */
export const dueDatesQuery = ({ slug, api }: OrgSession) =>
  queryOptions({
    queryKey: ['org', slug, 'due-dates'],
    queryFn: async ({ signal }): Promise<DueDates> =>
      (await api.get('/settings/due-dates', { signal })).result,
  });

/** The days of a project; null for those of the organization, 0 for no due date. */
export const projectDueDatesQuery = ({ slug, api }: OrgSession, id: string) =>
  queryOptions({
    queryKey: ['org', slug, 'due-dates', id],
    queryFn: async ({ signal }): Promise<DueDates> =>
      (await api.get('/projects/{id}/due-dates', { params: { path: { id } }, signal })).result,
  });
