import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useRouter } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useOrg } from '../../../app/session.ts';
import { type FindingFilter, pageOf, placeIn, rememberPlace } from '../../list-queries.ts';

const REST_MS = 300;

/** Where the list is opened: where somebody left it, or at the page of its address. */
export function useStart(filter: FindingFilter, page: number) {
  const queries = useQueryClient();
  const org = useOrg();
  return useState(() => placeIn(queries, org, filter, page))[0];
}

/** Keeps in the address which page is on top, and remembers the row when the list is left. */
export function useKeptPlace(filter: FindingFilter, page: number, place: { top: number; active: number }) {
  const queries = useQueryClient();
  const org = useOrg();
  const router = useRouter();
  const navigate = useNavigate();
  const latest = useRef({ filter, page, place });
  useEffect(() => {
    latest.current = { filter, page, place };
  });

  const top = pageOf(place.top);
  useEffect(() => {
    if (top === page) return;
    const timer = setTimeout(() => {
      // Somebody who is leaving is not held back.
      if (router.state.status === 'pending') return;
      navigate({
        to: '/o/$org/findings',
        params: { org: org.slug },
        search: { ...filter, ...(top > 1 && { page: top }) },
        replace: true,
        resetScroll: false,
      });
    }, REST_MS);
    return () => clearTimeout(timer);
  }, [top, page, filter, org, router, navigate]);

  useEffect(
    () => () => {
      const { filter, page, place } = latest.current;
      rememberPlace(queries, org, filter, { ...place, page });
    },
    [queries, org],
  );
}
