import type { Config } from './config.ts';
import { entropyOf } from './entropy.ts';

/** A setting that works, but is insecure. */
export interface InsecureSetting {
  variable: string;
  /** Why it is insecure. */
  problem: string;
  /** Secure values. */
  takes: string;
}

/** Shorter secrets can be guessed from a text that they signed or encrypted. */
const SECRET_BYTES = 32;
/** Random secrets of 32 hexadecimal digits have more; repeated words less. */
const SECRET_BITS = 48;

/** Words of placeholders in examples. They are too long to occur in random secrets. */
const PLACEHOLDER = /change|replace|secret|passw|example|placeholder|insecure|default|random|string|qwert/i;

/** Why a secret is weak; undefined if it is not. */
function weaknessOf(secret: string): string | undefined {
  if (new TextEncoder().encode(secret).length < SECRET_BYTES) return `is shorter than ${SECRET_BYTES} bytes`;
  if (PLACEHOLDER.test(secret)) return 'is a placeholder';
  return entropyOf(secret) < SECRET_BITS ? 'repeats characters or words' : undefined;
}

const firstWeakness = (secrets: readonly string[]) => secrets.map(weaknessOf).find((weakness) => weakness);

const STRONG = `secrets of ${SECRET_BYTES} bytes or more (openssl rand -hex 32)`;

/** Whether a host name is the machine itself, which browsers trust without TLS. */
export const isLoopback = (host: string): boolean =>
  /^(?:localhost|.*\.localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);

/**
 * Lists the values that `SVC_REFUSE_INSECURE_SETTINGS` refuses. All secrets of `JWT_SECRET` verify sessions, so all must be
 * strong. Only the first secret of `SVC_ENCRYPTION_KEY` encrypts; the others may be weak secrets that are being replaced.
 */
export function insecureSettings({
  jwtSecrets,
  encryptionKeys,
  metricsToken,
  publicUrl,
}: Pick<Config, 'jwtSecrets' | 'encryptionKeys' | 'metricsToken' | 'publicUrl'>): InsecureSetting[] {
  const found: InsecureSetting[] = [];
  const weakness = firstWeakness(jwtSecrets);
  if (weakness !== undefined) {
    const problem = `a secret ${weakness}: anybody with a session cookie can guess it and forge others`;
    found.push({ variable: 'JWT_SECRET', problem, takes: STRONG });
  }
  const firstKey = firstWeakness(encryptionKeys.slice(0, 1));
  if (firstKey !== undefined) {
    const problem = `the first secret ${firstKey}: anybody with a copy of the database can guess it`;
    found.push({ variable: 'SVC_ENCRYPTION_KEY', problem, takes: STRONG });
  }
  const metricsWeakness = metricsToken === undefined ? undefined : weaknessOf(metricsToken);
  if (metricsWeakness !== undefined) {
    const problem = `the token ${metricsWeakness}: anybody can guess it and read the metrics`;
    found.push({ variable: 'SVC_METRICS_TOKEN', problem, takes: STRONG });
  }
  const { protocol, hostname } = new URL(publicUrl);
  if (protocol === 'http:' && !isLoopback(hostname)) {
    const problem = 'links in mails lead to plain http: passwords and sessions can be read on the way';
    found.push({
      variable: 'SVC_PUBLIC_URL',
      problem,
      takes: 'an https address (or http on localhost or loopback)',
    });
  }
  return found;
}

/** The settings that strict mode needs, and the effects without them. */
const REQUIRED: readonly (InsecureSetting & { isSet(config: Config): boolean })[] = [
  {
    variable: 'SVC_ENCRYPTION_KEY',
    problem: 'a copy of the database contains the secrets of authenticator apps',
    takes: STRONG,
    isSet: ({ encryptionKeys }) => encryptionKeys.length > 0,
  },
  {
    variable: 'SVC_SMTP_URL or RESEND_API_KEY',
    problem: 'accounts cannot verify their addresses, and links of mails would be written to the log',
    takes: 'a mail provider',
    isSet: ({ mail }) => mail.resend !== undefined || mail.smtpUrl !== undefined,
  },
];

/** Lists the settings that strict mode needs and that are not set. */
export const missingSettings = (config: Config): InsecureSetting[] =>
  config.strict ? REQUIRED.filter(({ isSet }) => !isSet(config)) : [];
