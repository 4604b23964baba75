import type { Config } from '../config/config.ts';
import type { Logger } from '../logger.ts';
import { makeSecret, readSecret } from './kept-secret.ts';

const NAME = 'mail.key';

/**
 * The secret that seals queued mails while neither `SVC_ENCRYPTION_KEY` nor `JWT_SECRET` is set: kept in a file of the data
 * directory, so that a restart loses no mail. Once there, it is read for the mails it sealed, whatever is set since.
 * @returns undefined when it is not needed and was never made, or cannot be kept
 */
export async function readMailSecret(
  { dataDir, encryptionKeys, jwtSecrets }: Pick<Config, 'dataDir' | 'encryptionKeys' | 'jwtSecrets'>,
  log: Pick<Logger, 'warn'>,
): Promise<string | undefined> {
  const found = await readSecret(dataDir, NAME);
  if (found !== undefined || encryptionKeys.length > 0 || jwtSecrets.length > 0) return found;
  const lost =
    'the key of queued mails cannot be kept: mails that are not sent when the server stops are lost';
  return makeSecret(dataDir, NAME, (fields) => log.warn(lost, fields));
}
