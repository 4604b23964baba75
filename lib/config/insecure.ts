import type { Config } from './config.ts';

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

const isWeak = (secret: string) => new TextEncoder().encode(secret).length < SECRET_BYTES;

const STRONG = `secrets of ${SECRET_BYTES} bytes or more (openssl rand -hex 32)`;

/** Whether a host name is the machine itself, which browsers trust without TLS. */
export const isLoopback = (host: string): boolean =>
  /^(?:localhost|.*\.localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);

/**
 * Lists the settings that `SVC_REFUSE_INSECURE_SETTINGS` refuses. All secrets of `JWT_SECRET` verify sessions, so all must be
 * strong. Only the first secret of `SVC_ENCRYPTION_KEY` encrypts; the others may be weak secrets that are being replaced.
 */
export function insecureSettings({
  jwtSecrets,
  encryptionKeys,
  publicUrl,
}: Pick<Config, 'jwtSecrets' | 'encryptionKeys' | 'publicUrl'>): InsecureSetting[] {
  const found: InsecureSetting[] = [];
  if (jwtSecrets.some(isWeak)) {
    const problem = `a secret is shorter than ${SECRET_BYTES} bytes: anybody with a session cookie can guess it and forge others`;
    found.push({ variable: 'JWT_SECRET', problem, takes: STRONG });
  }
  if (encryptionKeys.slice(0, 1).some(isWeak)) {
    const problem = `the first secret is shorter than ${SECRET_BYTES} bytes: anybody with a copy of the database can guess it`;
    found.push({ variable: 'SVC_ENCRYPTION_KEY', problem, takes: STRONG });
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
