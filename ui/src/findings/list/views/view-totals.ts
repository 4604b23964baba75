import { useQueries } from '@tanstack/react-query';
import { useOrg } from '../../../app/session.ts';
import { type FindingFilter, totalQuery } from '../../list-queries.ts';
import { inView, VIEWS } from '../../views.ts';

/** Filters for which the service searches rows instead of reading stored counts. */
const SEARCHED = [
  ...(['q', 'cwe', 'cve', 'rule', 'file', 'path', 'not_path', 'source', 'not_source', 'scan_id'] as const),
  ...(['missing', 'has_exploit', 'found_after', 'found_before', 'seen_after', 'seen_before'] as const),
] as const;

/**
 * The number of findings of each view with the other filters of the list, by the id of the view. Views are not counted while
 * the list is a search, because each number would cost another search.
 * @param enabled false until the list has its rows
 */
export function useViewTotals(filter: FindingFilter, enabled: boolean): ReadonlyMap<string, number> {
  const org = useOrg();
  const isSearch = SEARCHED.some((key) => filter[key] !== undefined);
  return useQueries({
    queries: VIEWS.map((view) => ({
      ...totalQuery(org, inView(filter, view)),
      enabled: enabled && !isSearch,
    })),
    combine: (results) =>
      new Map(
        VIEWS.flatMap(({ id }, i) => {
          const total = results[i]?.data;
          return total === undefined || isSearch ? [] : [[id, total] as const];
        }),
      ),
  });
}
