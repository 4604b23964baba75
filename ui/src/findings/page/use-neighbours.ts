import { useQueries, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useOrg } from '../../app/session.ts';
import { exploitsQuery, findingQuery, placeQuery } from '../finding-queries.ts';
import { type FindingFilter, findingsPageQuery, PAGE_ROWS, pageOf } from '../list-queries.ts';

/** A finding and its place in the list, counted from 1. */
export interface Neighbour {
  id: string;
  at: number;
}

export interface Neighbours {
  /** Where the finding stands now; undefined when it is not of the list any more. */
  place: number | undefined;
  total: number;
  previous: Neighbour | undefined;
  next: Neighbour | undefined;
}

export interface Walk {
  id: string;
  /** The list it was opened from. */
  filter: FindingFilter;
  /** Its place there when it was opened; undefined when it was not opened from a list. */
  at: number | undefined;
  /** Whether its status is none that the list shows. */
  isOut: boolean;
}

/**
 * What stands before and behind a finding in the list it was opened from. Once triage has moved it out of the list, what
 * stands in its place is next. The next one is read ahead.
 */
export function useNeighbours({ id, filter, at, isOut }: Walk): Neighbours | undefined {
  const org = useOrg();
  const queries = useQueryClient();
  const places = at === undefined ? [] : [at - 1, at, at + 1].filter((place) => place > 0);
  const found = useQueries({ queries: places.map((place) => placeQuery(org, filter, place)) });
  const rows = new Map(places.map((place, i) => [place, found[i]?.data?.id]));
  const isSettled = found.every(({ data, isFetching }) => data !== undefined && !isFetching);

  // Others may have pushed in front of it, or triaged what was.
  const near = rows.get(at ?? 0) === id ? at : places.find((place) => rows.get(place) === id);
  const isLost = at !== undefined && isSettled && near === undefined && !isOut;
  const far = usePlaceAround({ id, filter, at: isLost ? at : undefined });
  const here = near ?? far.place;
  const neighbour = (place: number): Neighbour | undefined => {
    const other = rows.get(place);
    return other === undefined || other === id ? undefined : { id: other, at: place };
  };
  const neighbours =
    at === undefined || far.isLooking || !(isSettled || here === at)
      ? undefined
      : {
          place: here,
          total: found.at(places.indexOf(at))?.data?.total ?? 0,
          previous: neighbour((here ?? at) - 1),
          next: neighbour(here === undefined ? at : here + 1),
        };

  const ahead = neighbours?.next?.id;
  const behind = neighbours?.previous?.id;
  useEffect(() => {
    if (ahead) {
      queries.prefetchQuery(findingQuery(org, ahead));
      queries.prefetchQuery(exploitsQuery(org, ahead));
    }
    if (behind) queries.prefetchQuery(findingQuery(org, behind));
  }, [ahead, behind, org, queries]);
  return neighbours;
}

/**
 * Looks for a finding that has moved further: in the page of the list it was on, and those beside it.
 * @param walk `at` is undefined when it need not be looked for
 */
function usePlaceAround({ id, filter, at }: Omit<Walk, 'isOut'>) {
  const org = useOrg();
  const page = at === undefined ? 0 : pageOf(at - 1);
  const pages = page === 0 ? [] : [page - 1, page, page + 1].filter((one) => one > 0);
  const found = useQueries({
    queries: pages.map((one) => ({ ...findingsPageQuery(org, filter, one), staleTime: 0 })),
  });
  const place = pages
    .flatMap((one, i) =>
      (found[i]?.data?.rows ?? []).map((row, k) => [row?.id, (one - 1) * PAGE_ROWS + k + 1] as const),
    )
    .find(([other]) => other === id)?.[1];
  return { place, isLooking: place === undefined && found.some(({ isFetching }) => isFetching) };
}
