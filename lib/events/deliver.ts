import type { Attempt } from '../../db/events/deliveries.ts';
import { OutboundError } from '../outbound/error.ts';
import type { Outbound } from '../outbound/outbound.ts';
import type { DestinationRequest } from './requests.ts';

/** The part of a response that is kept. */
const KEPT_CHARACTERS = 2_000;

/** An attempt with what only the next one needs. */
export interface Answered extends Attempt {
  /** Seconds for which the other side asks to wait. */
  retryAfter?: number | undefined;
}

export interface DeliverOptions {
  outbound: Pick<Outbound, 'post'>;
  clock: () => Date;
}

/**
 * Sends a request once. Failures of the other side are in the result.
 * @throws Error if the signal is aborted
 */
export async function deliver(
  { outbound, clock }: DeliverOptions,
  { url, headers, body, isSecret }: DestinationRequest,
  signal: AbortSignal,
): Promise<Answered> {
  const at = clock();
  const started = performance.now();
  const durationMs = () => performance.now() - started;
  const shown = (text: string) => (isSecret ? without(text, secretsIn(url)) : text);
  try {
    const { status, text, retryAfter } = await outbound.post(url, { headers, body, signal });
    const isSuccess = status >= 200 && status < 300;
    return {
      ...{ at, durationMs: durationMs(), status, response: storable(shown(text)), retryAfter },
      ...(!isSuccess && { error: `The response has the status ${status}.` }),
    };
  } catch (error) {
    if (signal.aborted || !(error instanceof OutboundError)) throw error;
    return { at, durationMs: durationMs(), error: shown(error.message) };
  }
}

/** The shortest part of an address that can be a secret. */
const SECRET_LENGTH = 12;

/** The parts of an address that can be secrets, as they are and decoded. A response may repeat them. */
function secretsIn(url: string): string[] {
  const { pathname, search, searchParams } = new URL(url);
  const parts = [...pathname.split('/'), ...search.split(/[?&=]/), ...searchParams.values()];
  return parts.filter((part) => part.length >= SECRET_LENGTH);
}

const without = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((left, secret) => left.replaceAll(secret, '…'), text);

/** PostgreSQL stores no NUL, and no half of a surrogate pair. */
const storable = (text: string): string =>
  text.slice(0, KEPT_CHARACTERS).replaceAll('\0', ' ').toWellFormed();
