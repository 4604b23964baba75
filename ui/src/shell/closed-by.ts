import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ServiceError } from '../app/api.ts';
import { useOrg } from '../app/session.ts';

/** Refusals of all pages of an organization: it requires a second factor, another sign-in or another network. */
const REFUSALS = ['mfa_required_by_org', 'sso_required', 'address_not_allowed'] as const;

export type Refusal = (typeof REFUSALS)[number];

/**
 * The reason for which the organization lets the user read nothing; undefined if it does. Any read of the organization may notice it,
 * and the polled revision notices the end of it.
 */
export function useClosedBy(): Refusal | undefined {
  const { slug } = useOrg();
  const cache = useQueryClient().getQueryCache();
  const [refusal, setRefusal] = useState<Refusal>();
  useEffect(
    () =>
      cache.subscribe((event) => {
        if (event.type !== 'updated') return;
        const [scope, org, kind] = event.query.queryKey;
        if (scope !== 'org' || org !== slug) return;
        const { action } = event;
        if (action.type === 'success' && kind === 'revision') setRefusal(undefined);
        if (action.type === 'error' && isRefusal(action.error)) setRefusal(action.error.code);
      }),
    [cache, slug],
  );
  return refusal;
}

const isRefusal = (error: unknown): error is ServiceError & { code: Refusal } =>
  error instanceof ServiceError && REFUSALS.some((code) => code === error.code);
