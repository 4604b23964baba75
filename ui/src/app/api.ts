import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { type Client, createClient, type Schemas, ServiceError } from '../../../lib/client/index.ts';
import { stepUps } from './step-up.ts';

export { type Client, type Schemas, ServiceError };

/** The API outside of organizations, for what must not ask for a step-up itself. */
export const plainApi = createClient({ baseUrl: location.origin });

/** The API outside of organizations. */
export const api = withStepUp(plainApi);

const clients = new Map<string, Client>();

/** The API of one organization: the header names it where the host does not. */
export function orgApi(slug: string): Client {
  let client = clients.get(slug);
  if (!client) {
    client = withStepUp(createClient({ baseUrl: location.origin, orgSlug: slug }));
    clients.set(slug, client);
  }
  return client;
}

/** A call as it is repeated. */
type AnyCall = (path: string, init?: { body?: { password?: string } }) => Promise<unknown>;

const needsStepUp = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && error.code === 'step_up_required';

/**
 * A client whose calls ask the user to confirm who they are where the service wants that, and go on afterwards: what
 * they were made with, and the forms they come from, stay as they are.
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
  const { get, post, patch, delete: remove } = client as unknown as Record<keyof Client, AnyCall>;
  const repeated = {
    get: repeating(get),
    post: repeating(post),
    patch: repeating(patch),
    delete: repeating(remove),
  };
  return repeated as unknown as Client;
}

/** The session has ended, or there never was one. */
export const isSignedOut = (error: unknown): boolean =>
  error instanceof ServiceError &&
  error.status === 401 &&
  ['not_authenticated', 'session_revoked'].includes(error.code);

/** Nothing was wrong with the request: the same one may succeed in a moment. */
export const isPassing = (error: unknown): boolean =>
  !(error instanceof ServiceError) || error.status >= 500 || error.status === 429;

const MAX_RETRIES = 10;
const MAX_WAIT_MS = 10_000;
const FORGOTTEN_MS = 1_000;

/**
 * What was read, and reads. Those that fail in passing are repeated, after what the service asks for; writes never are.
 * @param onSignedOut told when a request finds the session ended
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
        retry: (failures, error) => isPassing(error) && failures < MAX_RETRIES,
        retryDelay: (attempt, error) => {
          const asked = error instanceof ServiceError ? error.retryAfter : undefined;
          return asked === undefined ? Math.min(500 * 2 ** attempt, MAX_WAIT_MS) : asked * 1000;
        },
      },
      // A connection that is lost while something is sent is an error at once, not a pause.
      // What was sent, and what came of it, is kept nowhere but on the screen: it may be a password, or a token.
      mutations: { retry: false, networkMode: 'always', gcTime: FORGOTTEN_MS },
    },
  });
}
