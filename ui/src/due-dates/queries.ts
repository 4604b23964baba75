import { queryOptions } from '@tanstack/react-query';
import * as text from '#strings/due-dates.ts';
import type { Schemas } from '../app/api.ts';
import { SEVERITIES, type Severity } from '../app/search.ts';
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

/** Days in words. */
export const daysText = (days: number | null): string =>
  days === null || days === 0 ? text.never : text.days(days);

/** A value for each severity. */
export const bySeverity = <T>(make: (severity: Severity) => T): Record<Severity, T> =>
  Object.fromEntries(SEVERITIES.map((severity) => [severity, make(severity)])) as Record<Severity, T>;
