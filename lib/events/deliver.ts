import type { Attempt } from '../../db/events/deliveries.ts';
import { OutboundError } from '../outbound/error.ts';
import type { Outbound } from '../outbound/outbound.ts';

/** An event of this age is not tried again. */
export const GIVE_UP_MS = 3 * 24 * 60 * 60 * 1_000;

/** The part of a response that is kept. */
const KEPT_CHARACTERS = 2_000;

/** A request to a destination. */
export interface DestinationRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** Whether the address is a secret, which nothing that is stored may have. */
  isSecret: boolean;
}

/** An attempt with what only the next one needs. */
export interface Answered extends Attempt {
  /** Seconds for which the other side asks to wait. */
  retryAfter?: number | undefined;
  /** The other side has answered, and will not do it: it is not asked again, and counts as no failure of the destination. */
  isFinal?: boolean | undefined;
  /** The other side does not accept the secret. */
  isUnauthorized?: boolean | undefined;
}

export interface DeliverOptions {
  outbound: Pick<Outbound, 'post' | 'request'>;
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
  const shown = (text: string) => (isSecret ? withoutSecret(text, url) : text);
  try {
    const { status, text, retryAfter } = await outbound.post(url, { headers, body, signal });
    const isSuccess = status >= 200 && status < 300;
    return {
      ...{
        at,
        durationMs: durationMs(),
        status,
        response: storable(shown(text.slice(0, KEPT_CHARACTERS))),
        retryAfter,
      },
      ...(!isSuccess && { error: `The response has the status ${status}.` }),
    };
  } catch (error) {
    if (signal.aborted || !(error instanceof OutboundError)) throw error;
    return { at, durationMs: durationMs(), error: shown(error.message) };
  }
}

/** So many letters and digits of an address tell too much of it. */
const TELLING = 12;

/** The letters and digits of a text, so that escapes and other separators make no difference. */
const lettersOf = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A text from the other side; without the text if it repeats a part of the secret path or query of an address. */
function withoutSecret(text: string, url: string): string {
  const { pathname, search } = new URL(url);
  const shown = [text, decoded(text)].map(lettersOf);
  const parts = `${pathname}${search}`
    .split(/[/?&=]/)
    .flatMap((part) => [part, decoded(part)].map(lettersOf));
  const tells = (part: string) =>
    Array.from({ length: part.length - TELLING + 1 }, (_, i) => part.slice(i, i + TELLING)).some((piece) =>
      shown.some((letters) => letters.includes(piece)),
    );
  return parts.some((part) => part.length >= TELLING && tells(part)) ? WITHHELD : text;
}

const WITHHELD = '(It repeats a part of the address.)';

/** PostgreSQL stores no NUL, and no half of a surrogate pair. */
const storable = (text: string): string => text.replaceAll('\0', ' ').toWellFormed();
