import type { Client } from '../../lib/client/index.ts';
import { DEFAULT_CONCURRENCY } from '../scan.ts';
import { readTrustedHosts } from '../settings.ts';
import { requireTrustedHost, type TrustedHosts } from '../trust/destination.ts';
import { bindKey } from '../trust/keys.ts';
import { openState, type State } from '../trust/state.ts';
import { type ApiKey, createApi } from './api.ts';
import { createSend } from './transport.ts';

/** Values that a command has already resolved. Default: read from the environment and the user's configuration. */
export interface Trust {
  trustedHosts?: TrustedHosts | undefined;
  state?: State;
}

export interface AgentClientOptions extends Trust {
  baseUrl: string;
  apiKey: ApiKey;
  orgSlug?: string | undefined;
  /** A configuration file in it is not the user's. Default: the working directory. */
  workspace?: string | undefined;
  concurrency?: number | undefined;
  /** Aborts requests in progress. */
  signal?: AbortSignal | undefined;
  onWarning?: ((message: string) => void) | undefined;
}

/** Creates the API client of an agent. @throws UsageError if the service is not a trusted host */
export function createAgentClient(options: AgentClientOptions): Client {
  const { baseUrl, apiKey, orgSlug, concurrency = DEFAULT_CONCURRENCY, signal, onWarning } = options;
  const { state = openState(process.env), workspace = process.cwd() } = options;
  const trusted = 'trustedHosts' in options ? options.trustedHosts : readTrustedHosts(process.env, workspace);
  requireTrustedHost(baseUrl, 'baseUrl', trusted);
  const client = createApi({ baseUrl, token: apiKey, orgSlug, send: createSend(concurrency, signal) });
  // One that the agent gets itself is for this service only, and soon expires.
  if (typeof apiKey === 'function') return client;
  return onFirstSuccess(client, () => {
    try {
      bindKey(state, apiKey, new URL(baseUrl).origin);
    } catch (error) {
      onWarning?.(
        `The agent could not record in ${state.directory ?? 'the state directory'} which service the API key belongs to (${(error as Error).message}).`,
      );
    }
  });
}

/** Wraps a client to call back after the first successful request. */
function onFirstSuccess(client: Client, callback: () => void): Client {
  let isFirst = true;
  const wrap =
    (call: (...args: never[]) => Promise<unknown>) =>
    async (...args: never[]) => {
      const reply = await call(...args);
      if (isFirst) {
        isFirst = false;
        callback();
      }
      return reply;
    };
  return {
    get: wrap(client.get as never) as Client['get'],
    post: wrap(client.post as never) as Client['post'],
    put: wrap(client.put as never) as Client['put'],
    patch: wrap(client.patch as never) as Client['patch'],
    delete: wrap(client.delete as never) as Client['delete'],
  };
}
