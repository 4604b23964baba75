import type { Config } from '../config/config.ts';
import type { Logger } from '../logger.ts';
import { makeSecret, readSecret } from './kept-secret.ts';

const SESSIONS = 'sessions.key';
const ENCRYPTION = 'encryption.key';

/**
 * Adds the secrets of a trial: a server with the embedded database and without strict mode makes those that are not set
 * once and keeps them in the data directory. An encryption key that is there decrypts whatever is set since.
 * @param log unset: nothing is made, for commands that may run as another user
 */
export async function withTrialSecrets(config: Config, log?: Pick<Logger, 'warn'>): Promise<Config> {
  const { dataDir, jwtSecrets, encryptionKeys } = config;
  const isTrial = config.databaseUrl === undefined && !config.strict;
  const keep = async (name: string, isNeeded: boolean) => {
    const found = await readSecret(dataDir, name);
    if (found !== undefined || !isNeeded || !isTrial || !log) return found;
    return makeSecret(dataDir, name, (fields) =>
      log.warn('a generated secret cannot be kept: it changes with the next start', fields),
    );
  };
  const isUnsigned = isTrial && jwtSecrets.length === 0;
  const sessions = isUnsigned ? await keep(SESSIONS, true) : undefined;
  const encryption = await keep(ENCRYPTION, encryptionKeys.length === 0);
  return {
    ...config,
    jwtSecrets: sessions === undefined ? jwtSecrets : [sessions],
    encryptionKeys: encryption === undefined ? encryptionKeys : [...encryptionKeys, encryption],
  };
}
