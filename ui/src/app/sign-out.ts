import { api, isSignedOut } from './api.ts';
import type { Site } from './site.ts';

/**
 * Ends the session and loads another page, which clears the memory. `POST /auth/logout` works on the base domain only, other
 * hosts revoke the session.
 * @param next the page after that
 */
export async function signOut(site: Site, next = '/login'): Promise<void> {
  try {
    await (site.signsIn ? api.post('/auth/logout') : revokeOwn());
  } catch (error) {
    // The session has already ended.
    if (!isSignedOut(error)) throw error;
  }
  location.assign(site.signInUrl(next));
}

async function revokeOwn(): Promise<void> {
  const { sessions } = (await api.get('/profile/sessions')).result;
  const own = sessions.find(({ current }) => current);
  if (own) await api.delete('/profile/sessions/{id}', { params: { path: { id: own.id } } });
}
