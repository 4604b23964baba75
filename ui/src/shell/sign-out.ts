import { api } from '../api.ts';
import type { Site } from '../site.ts';

/**
 * Ends the session, and leaves the page with everything it holds. Logging out is for the base domain, where there is one;
 * a session can be revoked everywhere.
 */
export async function signOut(site: Site): Promise<void> {
  if (site.signsIn) {
    await api.post('/auth/logout');
  } else {
    const { sessions } = (await api.get('/profile/sessions')).result;
    const current = sessions.find((session) => session.current);
    if (current) await api.delete('/profile/sessions/{id}', { params: { path: { id: current.id } } });
  }
  location.assign(site.signInUrl('/login'));
}
