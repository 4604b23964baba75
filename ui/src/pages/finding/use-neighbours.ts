import { useQueries, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { exploitsQuery, findingQuery, placeQuery } from '../../queries/finding.ts';
import type { FindingFilter } from '../../queries/findings.ts';
import { useOrg } from '../../session.ts';

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

/**
 * What stands before and behind a finding in the list it was opened from. Once triage has moved it out of the list, what
 * stands in its place is next. The next one is read ahead.
 * @param at its place when it was opened; undefined when it was not opened from a list
 */
export function useNeighbours(
  id: string,
  filter: FindingFilter,
  at: number | undefined,
): Neighbours | undefined {
  const org = useOrg();
  const queries = useQueryClient();
  const places = at === undefined ? [] : [at - 1, at, at + 1].filter((place) => place > 0);
  const found = useQueries({ queries: places.map((place) => placeQuery(org, filter, place)) });
  const rows = new Map(places.map((place, i) => [place, found[i]?.data?.id]));
  const isSettled = found.every(({ data, isFetching }) => data !== undefined && !isFetching);

  // Others may have pushed in front of it, or triaged what was.
  const here = rows.get(at ?? 0) === id ? at : places.find((place) => rows.get(place) === id);
  const neighbour = (place: number): Neighbour | undefined => {
    const other = rows.get(place);
    return other === undefined || other === id ? undefined : { id: other, at: place };
  };
  const neighbours =
    at === undefined || !(isSettled || here === at)
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
