import type { LeasedDestination } from '../../db/events/destinations.ts';
import type { SecretBox } from '../crypto/secret-box.ts';
import type { Logger } from '../logger.ts';
import { secretContext } from './signature.ts';

/**
 * The secrets of a destination at a time: for a while after it was changed also the former one, if it can be opened.
 * @returns undefined if the current one cannot be opened: its key was lost
 */
export async function openSecrets(
  { secretBox, log }: { secretBox: SecretBox; log: Logger },
  { id, org, secret, formerSecret, formerSecretUntil }: LeasedDestination,
  now: Date,
): Promise<[string, ...string[]] | undefined> {
  const open = (text: string) =>
    secretBox.open(text, secretContext(id)).catch((error) => {
      log.error('the secret of a destination cannot be opened', { org: org.id, destination: id, error });
      return undefined;
    });
  const current = await open(secret);
  if (current === undefined) return undefined;
  const isKept = formerSecret !== null && formerSecretUntil !== null && formerSecretUntil > now;
  const former = isKept ? await open(formerSecret) : undefined;
  return former === undefined ? [current] : [current, former];
}
