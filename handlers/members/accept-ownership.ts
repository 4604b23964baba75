import { freshCookieOrg } from '../../lib/http/access.ts';
import { done } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { logSecurityEvent } from '../../lib/http/security-log.ts';
import { acceptOwnership as accept } from '../../lib/members/ownership.ts';

export const acceptOwnership = endpoint(
  {
    method: 'post',
    path: '/members/accept-ownership',
    access: freshCookieOrg('admin', 'any member'),
    audit: 'member.owner_offer_accepted',
    tag: 'Members',
    summary: 'Accept to become an owner',
    description:
      'After an owner has invited the caller as an owner or given the role, with `SVC_OWNER_ACCEPTANCE`. The role counts from the next request on. All owners get a mail. 409 `conflict` without an offer: it was withdrawn, declined or accepted, it is older than 7 days, or its author is no longer an owner.',
    responses: { 200: { description: 'Done.', message: 'You are an owner now.' } },
    errors: ['resource_error/conflict'],
  },
  async (call) => {
    const { services, user } = call;
    const access = await call.audited(
      (inside) => accept(inside, { ...call.freshActor(), user }),
      (changed) => ({
        target: { type: 'member', id: user.id, name: user.email },
        ...(changed && { changes: { project_access: changed } }),
      }),
    );
    services.mail.kick();
    logSecurityEvent(call, 'owner_offer', { member: user.id, outcome: 'accepted' });
    if (access) logSecurityEvent(call, 'project_access_changed', { member: user.id, ...access });
    return done();
  },
);
