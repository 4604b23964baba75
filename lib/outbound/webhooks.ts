import ipaddr from 'ipaddr.js';
import { isWithin } from '../network.ts';
import { hostOf, isRefusedHost, type OutboundSettings, PRIVATE } from './addresses.ts';
import { failureOf, OUTBOUND_MS, OutboundError } from './error.ts';

/** The fetches of a runtime. */
export interface Sending {
  /** On Node it refuses names that resolve to private addresses. */
  send: typeof fetch;
  /** Connects to addresses of `SVC_OUTBOUND_ALLOW` only, for plain http. Unset: names cannot be checked. */
  sendPlain?: typeof fetch;
}

/** A request to a webhook. */
export interface Posted {
  headers: Record<string, string>;
  body: string;
  /** Ends the request early. */
  signal?: AbortSignal | undefined;
}

/** The answer of a webhook. */
export interface PostAnswer {
  status: number;
  /** The beginning of the body. */
  text: string;
  /** The header `Retry-After`, if it is a number of seconds. */
  retryAfter?: number | undefined;
}

/** The part of an answer that is read. */
const READ_BYTES = 64 * 1024;

type Allowed = Pick<OutboundSettings, 'outboundAllow'>;

/** Why the service sends no events to an address, as far as its text says. */
export function webhookRefusalOf(
  text: string,
  settings: Allowed,
  { sendPlain }: Pick<Sending, 'sendPlain'>,
): string | undefined {
  if (!URL.canParse(text)) return 'must be an address such as https://hooks.example.com/findings';
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  const host = hostOf(url);
  if (url.protocol === 'http:' && mayBeAllowed(host, settings, sendPlain !== undefined)) return undefined;
  if (url.protocol !== 'https:') return 'must begin with https://';
  return isRefusedHost(host, settings) ? PRIVATE : undefined;
}

/** Whether a host may have an address of `SVC_OUTBOUND_ALLOW`. Names are resolved with the request only. */
const mayBeAllowed = (host: string, { outboundAllow }: Allowed, resolves: boolean): boolean =>
  ipaddr.isValid(host) ? isWithin(host, outboundAllow) : resolves && outboundAllow.length > 0;

/**
 * Posts to a webhook and reads the beginning of its answer. Redirects are answers as others. The time limit is for the request with its
 * answer, but an answer whose status has arrived counts.
 */
export async function post(
  url: string,
  { headers, body, signal }: Posted,
  settings: Allowed,
  runtime: Sending,
): Promise<PostAnswer> {
  const refusal = webhookRefusalOf(url, settings, runtime);
  if (refusal !== undefined)
    throw new OutboundError(`${URL.canParse(url) ? new URL(url).origin : 'The address'} ${refusal}`);
  const { protocol } = new URL(url);
  const { send, sendPlain = send } = runtime;
  const timeout = AbortSignal.timeout(OUTBOUND_MS);
  try {
    const response = await (protocol === 'http:' ? sendPlain : send)(url, {
      ...{ method: 'POST', headers, body, redirect: 'manual' },
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    const { status, headers: answered } = response;
    return { status, text: await readStart(response), retryAfter: secondsOf(answered.get('retry-after')) };
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw failureOf(error, url, timeout);
  }
}

const secondsOf = (text: string | null): number | undefined =>
  text !== null && /^\d{1,9}(?:\.\d{1,9})?$/.test(text) ? Number(text) : undefined;

/** The first {@link READ_BYTES} of a body as text. Without the rest, whatever ends it. */
async function readStart(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let left = READ_BYTES;
  try {
    while (reader && left > 0) {
      const { done, value } = await reader.read();
      if (done) break;
      text += decoder.decode(value.subarray(0, left), { stream: true });
      left -= value.length;
    }
  } catch {
    // The status is what counts.
  }
  // Closes the connection, unless all was read.
  void reader?.cancel().catch(() => {});
  return text;
}
