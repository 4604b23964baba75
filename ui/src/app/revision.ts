import { type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef, useSyncExternalStore } from 'react';
import { isTemporary, ServiceError } from './api.ts';
import { type OrgSession, useOrg } from './session.ts';

/** With two seconds of caching in the service, pages notice a change within ten seconds. */
const POLL_MS = 7_500;
/** The longest pause after errors. */
const MAX_PAUSE_MS = 60_000;
/** The trend is read again after this time at the earliest, because it is computed from findings. */
const TREND_MS = 60_000;
/** A change waits for writes in progress, whose result is shown already. */
const WRITING_MS = 300;

/** The failures since the last success, by organization. */
const failures = new Map<string, number>();

/** The revision of an organization, polled while the window is visible. */
const revisionQuery = ({ slug }: OrgSession) =>
  queryOptions({
    queryKey: ['org', slug, 'revision'],
    queryFn: async ({ client, queryKey, signal }): Promise<string> => {
      const known = client.getQueryData<string>(queryKey);
      try {
        const response = await fetch('/api/v1/revision', {
          headers: { 'x-org-slug': slug, ...(known && { 'if-none-match': `"${known}"` }) },
          signal,
        });
        const revision = response.status === 304 && known ? known : await revisionOf(response);
        failures.delete(slug);
        return revision;
      } catch (error) {
        if (!signal.aborted) failures.set(slug, (failures.get(slug) ?? 0) + 1);
        throw error;
      }
    },
    retry: false,
  });

async function revisionOf(response: Response): Promise<string> {
  const body = await response.json().catch(() => undefined);
  if (!response.ok) throw new ServiceError(response, body);
  return body.result.revision;
}

/** Polls the revision while the window is visible, less often after errors. The frame of all pages calls it once. */
export function usePolling(): void {
  const org = useOrg();
  useQuery({
    ...revisionQuery(org),
    staleTime: 0,
    refetchInterval: () => Math.min(POLL_MS * 2 ** (failures.get(org.slug) ?? 0), MAX_PAUSE_MS),
    notifyOnChangeProps: [],
  });
}

/** Whether the revision could not be read twice in a row, so that the page may be out of date. */
export function usePollingFails(): boolean {
  const cache = useQueryClient().getQueryCache();
  return useSyncExternalStore(
    (tell) => cache.subscribe(tell),
    () =>
      cache
        .findAll({ queryKey: ['org'], type: 'active' })
        .some(
          ({ queryKey, state: { status, error } }) =>
            queryKey[2] === 'revision' &&
            status === 'error' &&
            isTemporary(error) &&
            (failures.get(String(queryKey[1])) ?? 0) > 1,
        ),
  );
}

/**
 * Calls a function after each change that others or agents make. Writes of this page in progress are waited for.
 * @param onChange the latest function is called
 */
export function useChanges(onChange: () => void): void {
  const queries = useQueryClient();
  const { data: revision } = useQuery({
    ...revisionQuery(useOrg()),
    // The frame polls.
    enabled: false,
  });
  const seen = useRef(revision);
  const change = useEffectEvent(onChange);
  useEffect(() => {
    const before = seen.current;
    seen.current = revision;
    if (before === undefined || revision === undefined || before === revision) return;
    let timer: ReturnType<typeof setTimeout>;
    const run = () => {
      if (queries.isMutating() > 0) timer = setTimeout(run, WRITING_MS);
      else change();
    };
    run();
    return () => clearTimeout(timer);
  }, [revision, queries]);
}

/** The kinds of data that change with the revision, besides the rows of the list, which the list itself compares. */
const KINDS: ReadonlySet<unknown> = new Set(['activity', 'dashboard', 'scans', 'finding', 'findings']);

/** Parts that take longer to compute, and change little. */
const SLOW: ReadonlySet<unknown> = new Set(['trend', 'metrics']);

/** Reads what is shown again, quietly. Everything else is read again when it is shown next. */
export function refreshShown(queries: QueryClient, { slug }: OrgSession, now = Date.now()): void {
  queries.invalidateQueries({
    queryKey: ['org', slug],
    predicate: ({ queryKey: [, , kind, part], state }) =>
      KINDS.has(kind) &&
      !(kind === 'findings' && part === 'rows') &&
      !(SLOW.has(part) && now - state.dataUpdatedAt < TREND_MS),
  });
  queries.invalidateQueries({ queryKey: ['org', slug, 'findings', 'rows'], refetchType: 'none' });
}
