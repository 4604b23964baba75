import type { Attempt } from '../../db/events/deliveries.ts';
import type { LeasedDestination } from '../../db/events/destinations.ts';
import { VERSION } from '../config/version.ts';
import type { SecretBox } from '../crypto/secret-box.ts';
import type { Logger } from '../logger.ts';
import { OutboundError } from '../outbound/error.ts';
import type { Outbound } from '../outbound/outbound.ts';
import { secretContext, signatureHeaders } from './signature.ts';

/** The part of a response that is kept. */
const KEPT_CHARACTERS = 2_000;

const UNOPENED = 'The secret of this webhook cannot be opened. Replace it.';

export interface DeliverOptions {
  outbound: Pick<Outbound, 'post'>;
  secretBox: SecretBox;
  clock: () => Date;
  log: Logger;
}

/**
 * The secrets that sign at a time: for a while after it was changed also the former one, if it can be opened.
 * @returns undefined if the current one cannot be opened: its key was lost
 */
async function secretsOf(
  { secretBox, log }: DeliverOptions,
  { id, org, secret, formerSecret, formerSecretUntil }: LeasedDestination,
  now: Date,
): Promise<string[] | undefined> {
  const open = (text: string) =>
    secretBox.open(text, secretContext(id)).catch((error) => {
      log.error('the secret of a webhook cannot be opened', { org: org.id, destination: id, error });
      return undefined;
    });
  const current = await open(secret);
  if (current === undefined) return undefined;
  const isKept = formerSecret !== null && formerSecretUntil !== null && formerSecretUntil > now;
  const former = isKept ? await open(formerSecret) : undefined;
  return former === undefined ? [current] : [current, former];
}

/**
 * Sends a body to a destination once. Failures of the other side, and a secret that cannot be opened, are in the result.
 * @param id the same for each attempt, so that the receiver can leave out repetitions
 * @throws Error if the signal is aborted
 */
export async function deliver(
  options: DeliverOptions,
  destination: LeasedDestination,
  { id, body }: { id: string; body: string },
  signal: AbortSignal,
): Promise<Attempt> {
  const { outbound, clock } = options;
  const at = clock();
  const secrets = await secretsOf(options, destination, at);
  if (!secrets) return { at, durationMs: 0, error: UNOPENED };
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
