import { freshCookieOrg } from '../../lib/http/access.ts';
import { done } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { logSecurityEvent } from '../../lib/http/security-log.ts';
import { declineOwnership as decline } from '../../lib/members/ownership.ts';

export const declineOwnership = endpoint(
  {
    method: 'post',
    path: '/members/decline-ownership',
    access: freshCookieOrg('admin', 'any member'),
    audit: 'member.owner_offer_declined',
    tag: 'Members',
    summary: 'Decline to become an owner',
    description: 'The caller stays an admin. All owners get a mail. 409 `conflict` without an offer.',
    responses: { 200: { description: 'Done.', message: 'You stay an admin.' } },
    errors: ['resource_error/conflict'],
  },
  async (call) => {
    const { services, user } = call;
    await call.audited(
      (inside) => decline(inside, { ...call.freshActor(), user }),
      () => ({ target: { type: 'member', id: user.id, name: user.email } }),
    );
    services.mail.kick();
    logSecurityEvent(call, 'owner_offer', { member: user.id, outcome: 'declined' });
    return done();
  },
);
