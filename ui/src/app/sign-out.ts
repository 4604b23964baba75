import { api, isSignedOut } from './api.ts';
import type { Site } from './site.ts';

/**
 * Ends the session, and leaves the page with everything it holds. Logging out is for the base domain, where there is one;
 * a session can be revoked everywhere.
 */
export async function signOut(site: Site): Promise<void> {
  try {
    await (site.signsIn ? api.post('/auth/logout') : revokeOwn());
  } catch (error) {
    // It has ended by itself.
    if (!isSignedOut(error)) throw error;
  }
  location.assign(site.signInUrl('/login'));
}

async function revokeOwn(): Promise<void> {
  const { sessions } = (await api.get('/profile/sessions')).result;
  const own = sessions.find(({ current }) => current);
  if (own) await api.delete('/profile/sessions/{id}', { params: { path: { id: own.id } } });
}
