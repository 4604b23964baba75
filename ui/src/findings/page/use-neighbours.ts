import { useQueries, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useOrg } from '../../app/session.ts';
import { exploitsQuery, findingQuery, placeQuery } from '../finding-queries.ts';
import { type FindingFilter, findingsPageQuery, PAGE_ROWS, pageOf } from '../list-queries.ts';

/** A finding and its position in the list, counted from 1. */
export interface Neighbour {
  id: string;
  at: number;
}

export interface Neighbours {
  /** The current position of the finding; undefined if it is no longer in the list. */
  place: number | undefined;
  total: number;
  previous: Neighbour | undefined;
  next: Neighbour | undefined;
}

export interface Walk {
  id: string;
  /** The list from which the finding was opened. */
  filter: FindingFilter;
  /** Its position when it was opened; undefined if it was not opened from a list. */
  at: number | undefined;
  /** Whether the list does not show its status. */
  isOut: boolean;
}

/**
 * The previous and next finding in the list. After triage has removed the finding from the list, the finding at its position
 * is the next one. Both are prefetched.
 */
export function useNeighbours({ id, filter, at, isOut }: Walk): Neighbours | undefined {
  const org = useOrg();
  const queries = useQueryClient();
  const places = at === undefined ? [] : [at - 1, at, at + 1].filter((place) => place > 0);
  const found = useQueries({ queries: places.map((place) => placeQuery(org, filter, place)) });
  const rows = new Map(places.map((place, i) => [place, found[i]?.data?.id]));
  const isSettled = found.every(({ data, isFetching }) => data !== undefined && !isFetching);

  // Pushes and triage by other users move findings.
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
 * Searches a finding that has moved further: in its page of the list and in the adjacent pages.
 * @param walk `at` is undefined if no search is needed
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
