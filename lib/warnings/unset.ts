import type { Config } from '../config/config.ts';
import { insecureSettings } from '../config/insecure.ts';
import type { Logger } from '../logger.ts';
import { plainConnections } from './plain-connections.ts';

/** Says what works without being set, but not as well, and what others can listen to. */
export function warnOfUnset(config: Config, log: Logger): void {
  for (const line of plainConnections(config)) log.warn(line);
  if (config.jwtSecrets.length === 0) log.warn('JWT_SECRET is not set: sessions end when the server stops');
  warnOfMail(config, log);
  warnOfSettings(config, log);
}

/** Users are told that a mail was sent: the operator must know where it is. */
function warnOfMail({ mail, requireVerifiedEmail, dataDir }: Config, log: Logger): void {
  if (mail.resend || mail.smtpUrl) return;
  const where = `mails are only written to ${dataDir}/outbox.jsonl, and their links to the log`;
  const unset = 'RESEND_API_KEY and SVC_SMTP_URL are not set';
  if (requireVerifiedEmail) log.warn(`${unset}: accounts must verify their addresses, but ${where}`);
  else log.info(`${unset}: ${where}`);
}

/** The same, of what a server and the edge have in common. */
export function warnOfSettings(config: Config, log: Logger): void {
  if (config.encryptionKeys.length === 0)
    log.warn('SVC_ENCRYPTION_KEY is not set: TOTP secrets are stored as they are');
  for (const { variable, problem } of insecureSettings(config)) log.warn(`${variable}: ${problem}`);
}
