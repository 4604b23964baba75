import { Secret, TOTP } from 'otpauth';
import type { TestApp } from '../server/app.ts';
import { type CallOptions, createUser, must, type TestUser } from './api.ts';
import { linkTo } from './mailed.ts';

/** The subjects of the mails to an address, oldest first. */
export async function subjectsTo(t: TestApp, recipient: string): Promise<string[]> {
  await t.services.mail.deliverDue();
  return t.mails.filter((mail) => mail.recipient === recipient).map(({ subject }) => subject);
}

/** A user whose primary address is verified. */
export async function createVerifiedUser(
  t: TestApp,
  options?: CallOptions,
): Promise<TestUser & { emailId: string }> {
  const user = await createUser(t.api, 'Ada Lovelace', options);
  const { token, email_id = '' } = await linkTo(t, user.email);
  must(await t.api.post('/auth/verify-email', { body: { token, email_id } }));
  return { ...user, emailId: email_id };
}

/** Adds an address and verifies it by its mail. @returns its id */
export async function addVerifiedEmail(t: TestApp, cookie: string, email: string): Promise<string> {
  const { id } = must(await t.api.post('/profile/emails', { cookie, body: { email } }));
  must(await t.api.post('/auth/verify-email', { body: await linkTo(t, email) }));
  return id;
}

/** An authenticator app of a user. */
export interface Authenticator {
  id: string;
  /** The code of now, or of so many steps from now. */
  code(steps?: number): string;
}

/** Enrols an authenticator app. */
export async function addAuthenticator(t: TestApp, cookie: string): Promise<Authenticator> {
  const { device, secret } = must(
    await t.api.post('/profile/mfa/devices/totp', { cookie, body: { name: 'Phone' } }),
  );
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  const code = (steps = 0) => totp.generate({ timestamp: t.services.clock().getTime() + steps * 30_000 });
  const path = `/profile/mfa/devices/totp/${device.id}/verify`;
  // The step before: with limits on, that of now can still be used.
  must(await t.api.post(path, { cookie, body: { code: code(-1) } }));
  return { id: device.id, code };
}

/** Enrols an authenticator app and switches MFA on. */
export async function switchMfaOn(t: TestApp, cookie: string) {
  const app = await addAuthenticator(t, cookie);
  const { recovery_codes } = must(await t.api.post('/profile/mfa/enable', { cookie }));
  return { ...app, recoveryCodes: recovery_codes as string[] };
}

/** A code that is not the one given. */
export const wrongCode = (right: string): string => (right === '000000' ? '000001' : '000000');
