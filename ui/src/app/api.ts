import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { type Client, createClient, type Schemas, ServiceError } from '../../../lib/client/index.ts';
import { stepUps } from './step-up.ts';

export { type Client, createClient, type Schemas, ServiceError };

/** The API without an organization and without step-up. */
export const plainApi = createClient({ baseUrl: location.origin });

/** The API without an organization. */
export const api = withStepUp(plainApi);

const clients = new Map<string, Client>();

/** The API of one organization. A header names it, for hosts that do not. */
export function orgApi(slug: string): Client {
  let client = clients.get(slug);
  if (!client) {
    client = withStepUp(createClient({ baseUrl: location.origin, orgSlug: slug }));
    clients.set(slug, client);
  }
  return client;
}

/** A call that can be repeated. */
type AnyCall = (path: string, init?: { body?: { password?: string } }) => Promise<unknown>;

const needsStepUp = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && error.code === 'step_up_required';

/**
 * A client that asks the user for a step-up if the service requires one, and then repeats the call. Forms keep their input.
 */
function withStepUp(client: Client): Client {
  const repeating =
    (call: AnyCall): AnyCall =>
    async (path, init) => {
      for (;;) {
        try {
          return await call(path, init);
        } catch (error) {
          if (!needsStepUp(error) || !(await stepUps.ask(init?.body?.password))) throw error;
        }
      }
    };
  const { get, post, put, patch, delete: remove } = client as unknown as Record<keyof Client, AnyCall>;
  const repeated = {
    get: repeating(get),
    post: repeating(post),
    put: repeating(put),
    patch: repeating(patch),
    delete: repeating(remove),
  } satisfies Record<keyof Client, AnyCall>;
  return repeated as unknown as Client;
}

/** The session has ended or never existed. */
export const isSignedOut = (error: unknown): boolean =>
  error instanceof ServiceError &&
  error.status === 401 &&
  ['not_authenticated', 'session_revoked'].includes(error.code);

/** The error is temporary: the same request may succeed later. */
export const isTemporary = (error: unknown): boolean =>
  !(error instanceof ServiceError) || error.status >= 500 || error.status === 429;

const MAX_RETRIES = 10;
const MAX_WAIT_MS = 10_000;
const DISCARD_MS = 1_000;

/**
 * Creates the query client. Reads that fail temporarily are retried, after the time that the service asks for. Writes are
 * never retried.
 * @param onSignedOut called if the session has ended
 */
export function createQueries(onSignedOut: () => void): QueryClient {
  const watch = (error: unknown) => {
    if (isSignedOut(error)) onSignedOut();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError: watch }),
    mutationCache: new MutationCache({ onError: watch }),
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        retry: (failures, error) => isTemporary(error) && failures < MAX_RETRIES,
        retryDelay: (attempt, error) => {
          const asked = error instanceof ServiceError ? error.retryAfter : undefined;
          return asked === undefined ? Math.min(500 * 2 ** attempt, MAX_WAIT_MS) : asked * 1000;
        },
      },
      // A lost connection is an error, not a pause.
      // Variables and results may be passwords or tokens and are discarded immediately.
      mutations: { retry: false, networkMode: 'always', gcTime: DISCARD_MS },
    },
  });
}
