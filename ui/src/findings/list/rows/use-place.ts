import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useOrg } from '../../../app/session.ts';
import { type FindingFilter, pageOf, placeIn, rememberPlace } from '../../list-queries.ts';

const REST_MS = 300;

const route = getRouteApi('/_signed-in/o/$org/findings');

/** The initial position: where the user left the list, or the page of its address. */
export function useStart(filter: FindingFilter, page: number) {
  const queries = useQueryClient();
  const org = useOrg();
  return useState(() => placeIn(queries, org, filter, page))[0];
}

/** Keeps the page of the first visible row in the address, and remembers the position when the user leaves. */
export function useKeptPlace(filter: FindingFilter, page: number, place: { top: number; active: number }) {
  const queries = useQueryClient();
  const org = useOrg();
  const router = useRouter();
  const navigate = route.useNavigate();
  const latest = useRef({ filter, page, place });
  useEffect(() => {
    latest.current = { filter, page, place };
  });

  const top = pageOf(place.top);
  useEffect(() => {
    if (top === page) return;
    const timer = setTimeout(() => {
      // Must not cancel a navigation in progress.
      if (router.state.status === 'pending') return;
      navigate({
        search: ({ preview }) => ({ ...filter, ...(top > 1 && { page: top }), ...(preview && { preview }) }),
        state: (before) => before,
        replace: true,
        resetScroll: false,
      });
    }, REST_MS);
    return () => clearTimeout(timer);
  }, [top, page, filter, router, navigate]);

  useEffect(
    () => () => {
      const { filter, page, place } = latest.current;
      rememberPlace(queries, org, filter, { ...place, page });
    },
    [queries, org],
  );
}
