import { revokeSessionsInBatches } from '../../../lib/accounts/accounts.ts';
import { cookie } from '../../../lib/http/access.ts';
import { done } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const revokeOtherSessions = endpoint(
  {
    method: 'delete',
    path: '/profile/sessions',
    access: cookie,
    audit: { none: 'account' },
    tag: 'Profile: sessions',
    summary: 'Revoke all sessions but the current one',
    responses: { 200: { description: 'Revoked.', message: '2 sessions were revoked.' } },
  },
  async ({ db, now, sessionId, user }) => {
    const count = await revokeSessionsInBatches(db, user.id, now, sessionId);
    return done({ message: count === 1 ? '1 session was revoked.' : `${count} sessions were revoked.` });
  },
);
