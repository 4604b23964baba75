import { Secret, TOTP } from 'otpauth';

const ISSUER = 'Security Findings';
const PERIOD_SECONDS = 30;

const totpOf = (secret: string, label: string) =>
  new TOTP({ issuer: ISSUER, label, secret: Secret.fromBase32(secret), digits: 6, period: PERIOD_SECONDS });

/** Generates a TOTP secret (RFC 6238). @returns the secret in base32 and the otpauth URL for authenticator apps */
export function generateTotp(label: string): { secret: string; url: string } {
  const secret = new Secret({ size: 20 }).base32;
  return { secret, url: totpOf(secret, label).toString() };
}

/** The time step that a code belongs to: the current one, the previous or the next; undefined when the code is invalid. */
export function matchTotp(secret: string, code: string, now: Date): number | undefined {
  if (!/^[0-9]{6}$/.test(code)) return undefined;
  const timestamp = now.getTime();
  const delta = totpOf(secret, '').validate({ token: code, timestamp, window: 1 });
  return delta === null ? undefined : Math.floor(timestamp / 1000 / PERIOD_SECONDS) + delta;
}
