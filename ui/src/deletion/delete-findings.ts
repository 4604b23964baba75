import type { QueryClient } from '@tanstack/react-query';
import type { FindingFilter } from '../app/search.ts';
import type { OrgSession } from '../app/session.ts';
import { showError } from '../components/errors/toasts.ts';
import { announceDeletions } from './announce.tsx';
import type { Deletion } from './queries.ts';

/** The most ids of one request. */
const IDS = 500;

/** Findings by their ids, or all that match a filter. */
export type Selected = { ids: readonly string[] } | { filter: FindingFilter; total: number };

/** Deletes findings, and shows that with a button that undoes it. */
export async function deleteFindings(
  org: OrgSession,
  queries: QueryClient,
  selected: Selected,
): Promise<void> {
  const started: Deletion[] = [];
  try {
    for (const body of bodiesOf(selected))
      started.push((await org.api.post('/findings/delete', { body })).result);
  } catch (error) {
    showError(error);
  }
  if (started.length > 0) await announceDeletions(org, queries, started);
}

function bodiesOf(selected: Selected) {
  if ('ids' in selected) {
    const { ids } = selected;
    return Array.from({ length: Math.ceil(ids.length / IDS) }, (_, i) => ({
      ids: ids.slice(i * IDS, (i + 1) * IDS),
    }));
  }
  const { sort: _, ...filter } = selected.filter;
  return [{ filter, expected_count: selected.total }];
}
