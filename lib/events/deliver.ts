import type { Attempt } from '../../db/events/deliveries.ts';
import type { LeasedDestination } from '../../db/events/destinations.ts';
import { VERSION } from '../config/version.ts';
import type { SecretBox } from '../crypto/secret-box.ts';
import { OutboundError } from '../outbound/error.ts';
import type { Outbound } from '../outbound/outbound.ts';
import { secretContext, signatureHeaders } from './signature.ts';

/** The part of a response that is kept. */
const KEPT_CHARACTERS = 2_000;

export interface DeliverOptions {
  outbound: Pick<Outbound, 'post'>;
  secretBox: SecretBox;
  clock: () => Date;
}

/** The secrets that sign at a time: for a while after it was changed also the former one. */
async function secretsOf(destination: LeasedDestination, box: SecretBox, now: Date): Promise<string[]> {
  const { id, secret, formerSecret, formerSecretUntil } = destination;
  const isKept = formerSecret !== null && formerSecretUntil !== null && formerSecretUntil > now;
  const sealed = isKept ? [secret, formerSecret] : [secret];
  return await Promise.all(sealed.map((text) => box.open(text, secretContext(id))));
}

/**
 * Sends a body to a destination once. Failures of the other side are in the result.
 * @param id the same for each attempt, so that the receiver can leave out repetitions
 * @throws Error if the secret cannot be opened, or the signal is aborted
 */
export async function deliver(
  { outbound, secretBox, clock }: DeliverOptions,
  destination: LeasedDestination,
  { id, body }: { id: string; body: string },
  signal: AbortSignal,
): Promise<Attempt> {
  const at = clock();
  const secrets = await secretsOf(destination, secretBox, at);
  const headers = {
    'content-type': 'application/json',
    'user-agent': `svc-findings/${VERSION}`,
    ...(await signatureHeaders(secrets, { id, at, body })),
  };
  const started = performance.now();
  const durationMs = () => performance.now() - started;
  try {
    const { status, text } = await outbound.post(destination.url, { headers, body, signal });
    const isSuccess = status >= 200 && status < 300;
    return {
      ...{ at, durationMs: durationMs(), status, response: storable(text) },
      ...(!isSuccess && { error: `The response has the status ${status}.` }),
    };
  } catch (error) {
    if (signal.aborted || !(error instanceof OutboundError)) throw error;
    return { at, durationMs: durationMs(), error: error.message };
  }
}

/** PostgreSQL stores no NUL, and no half of a surrogate pair. */
const storable = (text: string): string =>
  text.slice(0, KEPT_CHARACTERS).replaceAll('\0', ' ').toWellFormed();
