import { api } from '../app/api.ts';

let chosen: string | undefined;

/** Keeps the name of an invited user until the first sign-in: the request that sets the password takes no name. */
export function keepChosenName(name: string): void {
  chosen = name;
}

/** The name that the service gives an account that is created by an invitation. */
const nameOf = (email: string) => email.replace(/@[^@]*$/, '');

/**
 * Gives the signed-in account the name that its user chose. An account with another name than that of its address may be another
 * one, and keeps it. Errors are ignored, because the name can be changed in the profile.
 */
export async function applyChosenName(): Promise<void> {
  const name = chosen;
  chosen = undefined;
  if (name === undefined) return;
  try {
    const { user } = (await api.get('/auth/session')).result;
    if (user && user.name === nameOf(user.email)) await api.patch('/auth/me', { body: { name } });
  } catch {}
}
