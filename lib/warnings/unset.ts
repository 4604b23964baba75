import type { Config } from '../config/config.ts';
import { insecureSettings } from '../config/insecure.ts';
import type { Logger } from '../logger.ts';
import { plainConnections } from './plain-connections.ts';

/** Says what works without being set, but not as well, and what others can listen to. */
export function warnOfUnset(config: Config, log: Logger): void {
  for (const line of plainConnections(config)) log.warn(line);
  if (config.jwtSecrets.length === 0) log.warn('JWT_SECRET is not set: sessions end when the server stops');
  warnOfSettings(config, log);
}

/** The same, of what a server and the edge have in common. */
export function warnOfSettings(config: Config, log: Logger): void {
  if (config.encryptionKeys.length === 0)
    log.warn('SVC_ENCRYPTION_KEY is not set: TOTP secrets are stored as they are');
  for (const { variable, problem } of insecureSettings(config)) log.warn(`${variable}: ${problem}`);
}
