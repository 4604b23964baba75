import { type OutboundSettings, refusalOf } from './addresses.ts';
import { readBounded } from './bounded.ts';
import { failureOf, OUTBOUND_MS, OutboundError } from './error.ts';
import {
  type Answer,
  type PostAnswer,
  type Posted,
  post,
  type Requested,
  request,
  type Sending,
  webhookRefusalOf,
} from './webhooks.ts';

/** Requests to addresses that users enter. */
export interface Outbound {
  /** Why the service does not connect to an address; undefined if it may. Names are resolved with the request only. */
  refusal(url: string): string | undefined;
  /** @throws OutboundError if the address is refused, or answers too slowly or too much */
  fetch(url: string, init?: RequestInit): Promise<Response>;
  /** Why the service sends no events to an address; undefined if it may. */
  webhookRefusal(url: string): string | undefined;
  /** Posts to a webhook. @throws OutboundError if the address is refused, or does not answer in time; the reason of the signal */
  post(url: string, request: Posted): Promise<PostAnswer>;
  /** Sends a request by the rules of `post`, and reads the whole answer. @throws as `post`, and if the answer is larger than 1 MiB */
  request(url: string, request: Requested): Promise<Answer>;
  /** The TXT records of a name; empty if it has none. @throws OutboundError if no server answers */
  resolveTxt(name: string): Promise<string[]>;
}

/** The functions that differ between runtimes. */
export interface Runtime extends Sending {
  resolveTxt: Outbound['resolveTxt'];
}

/** Sends requests by the rules of this service. */
export function createOutbound(settings: OutboundSettings, runtime: Runtime): Outbound {
  const { send, resolveTxt } = runtime;
  return {
    refusal: (url) => refusalOf(url, settings),
    resolveTxt,
    webhookRefusal: (url) => webhookRefusalOf(url, settings, runtime),
    post: (url, posted) => post(url, posted, settings, runtime),
    request: (url, requested) => request(url, requested, settings, runtime),
    async fetch(url, init) {
      const refusal = refusalOf(url, settings);
      if (refusal !== undefined) throw new OutboundError(`${url} ${refusal}`);
      const signal = AbortSignal.timeout(OUTBOUND_MS);
      try {
        const response = await send(url, { ...init, redirect: 'manual', signal });
        const body = await readBounded(response, url);
        const { status, headers } = response;
        const isEmpty = status === 204 || status === 205 || status === 304;
        return new Response(isEmpty ? null : body, { status, headers: withoutLength(headers) });
      } catch (error) {
        throw failureOf(error, url, signal);
      }
    },
  };
}

/** The body is not encoded any more. */
function withoutLength(headers: Headers): Headers {
  const kept = new Headers(headers);
  for (const name of ['content-length', 'content-encoding', 'transfer-encoding']) kept.delete(name);
  return kept;
}
