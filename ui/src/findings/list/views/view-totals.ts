import { useQueries } from '@tanstack/react-query';
import { useOrg } from '../../../app/session.ts';
import { type FindingFilter, totalQuery } from '../../list-queries.ts';
import { inView, VIEWS } from '../../views.ts';

/** Filters for which the service searches rows instead of reading stored counts. */
const SEARCHED = [
  ...(['q', 'cwe', 'cve', 'rule', 'file', 'path', 'not_path', 'source', 'not_source', 'scan_id'] as const),
  ...(['missing', 'has_exploit', 'found_after', 'found_before', 'seen_after', 'seen_before'] as const),
] as const;

export interface ViewTotals {
  /** The number of findings by the id of the view. */
  totals: ReadonlyMap<string, number>;
  /** Whether the list is a search. Then the numbers are those without it, because each other number would cost a search. */
  isSearch: boolean;
}

/**
 * The number of findings of each view with the other filters of the list.
 * @param enabled false until the list has its rows
 */
export function useViewTotals(filter: FindingFilter, enabled: boolean): ViewTotals {
  const org = useOrg();
  const isSearch = SEARCHED.some((key) => filter[key] !== undefined);
  const counted: FindingFilter = { ...filter };
  for (const key of SEARCHED) delete counted[key];
  const totals = useQueries({
    queries: VIEWS.map((view) => ({ ...totalQuery(org, inView(counted, view)), enabled })),
    combine: (results) =>
      new Map(
        VIEWS.flatMap(({ id }, i) => {
          const total = results[i]?.data;
          return total === undefined ? [] : [[id, total] as const];
        }),
      ),
  });
  return { totals, isSearch };
}
