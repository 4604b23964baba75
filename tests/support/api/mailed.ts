import type { TestApp } from '../server/app.ts';
import { must, PASSWORD } from './api.ts';

/** The parameters of the last link that was mailed to an address. */
export async function linkTo(t: TestApp, address: string): Promise<Record<string, string>> {
  const { link } = await t.delivered(address);
  if (link === undefined) throw new Error(`the last mail to ${address} has no link`);
  return Object.fromEntries(new URL(link).searchParams);
}

/** Verifies an address by the last link that was mailed to it. */
export async function verify(t: TestApp, address: string): Promise<void> {
  must(await t.api.post('/auth/verify-email', { body: await linkTo(t, address) }));
}

/** Sets a new password by the last link that was mailed to an address. */
export async function resetBy(t: TestApp, address: string, password = PASSWORD): Promise<void> {
  const { token } = await linkTo(t, address);
  must(await t.api.post('/auth/reset-password', { body: { token, password } }));
}
