import { and, eq, sql } from 'drizzle-orm';
import type { Tx } from '../../db/client.ts';
import { userEmails, users } from '../../db/schema/accounts.ts';
import { memberships } from '../../db/schema/orgs.ts';
import { lockUser } from '../../lib/accounts/accounts.ts';
import { isPlaceholder } from '../../lib/accounts/claim.ts';
import { ApiError } from '../../lib/errors.ts';
import { sessionOrg } from '../../lib/http/access.ts';
import { done } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { idParam } from '../../lib/http/fields.ts';
import { logSecurityEvent } from '../../lib/http/security-log.ts';
import { type Invitee, mailInvitation } from '../../lib/members/invitations.ts';
import { hasOffer } from '../../lib/members/ownership.ts';
import { z } from '../../lib/schema.ts';

export const resendInvitation = endpoint(
  {
    method: 'post',
    path: '/members/{userId}/resend-invitation',
    access: sessionOrg('admin', 'none'),
    audit: 'member.invitation_resent',
    tag: 'Members',
    summary: 'Resend an invitation',
    description:
      'Mails the invitation to the invited address of a member who has not verified it. Earlier links keep working.',
    request: { params: z.object({ userId: idParam() }) },
    responses: {
      200: { description: 'The invitation was sent.', message: 'The invitation is on its way.' },
    },
    errors: ['resource_error/conflict', 'rate_limit_error/exceeded'],
  },
  async (call) => {
    const { db, now, org, params, peer, services } = call;
    const { userId } = params;
    await services.limits.count('client', peer.ip);
    const [member] = await db
      .select({ invitedEmail: memberships.invitedEmail })
      .from(memberships)
      .where(and(eq(memberships.orgId, org.id), eq(memberships.userId, userId)));
    if (!member) throw noSuchMember();
    await services.limits.count('mail', `invitation ${member.invitedEmail ?? userId}`);
    const { role } = await call.audited(
      (inside) =>
        inside.db.transaction(async (tx) => {
          // Until it is mailed, the address is not verified and the account gets no password.
          await lockUser(tx, userId);
          const invitee = await findOpenInvitation(tx, org.id, userId);
          const isOffered = await hasOffer(tx, org.id, userId, now);
          await mailInvitation(tx, services, { ...invitee, isOffered }, call);
          return invitee;
        }),
      ({ address }) => ({ target: { type: 'member', id: userId, name: address } }),
    );
    services.mail.kick();
    logSecurityEvent(call, 'member_invited', { member: userId, role, again: true });
    return done();
  },
);

const conflict = (message: string) => new ApiError('resource_error/conflict', { message });

/** The invitation of a member who has not verified the invited address. @throws ApiError when there is none to repeat */
async function findOpenInvitation(tx: Tx, orgId: string, userId: string): Promise<Invitee> {
  const [invitee] = await tx
    .select({
      role: memberships.role,
      invitedEmail: memberships.invitedEmail,
      confirmedAt: memberships.confirmedAt,
      emailId: userEmails.id,
      address: userEmails.email,
      verifiedAt: userEmails.verifiedAt,
      disabledAt: users.disabledAt,
      suspendedAt: memberships.suspendedAt,
      isPlaceholder: sql<boolean>`${isPlaceholder}`,
    })
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .innerJoin(userEmails, and(eq(userEmails.userId, users.id), eq(userEmails.isPrimary, true)))
    .where(and(eq(memberships.orgId, orgId), eq(memberships.userId, userId)));
  if (!invitee) throw noSuchMember();
  const { address, invitedEmail, confirmedAt, verifiedAt, disabledAt, suspendedAt } = invitee;
  if (disabledAt) throw conflict('This address cannot be invited.');
  if (suspendedAt) throw conflict('Provisioning has deactivated the member.');
  if (confirmedAt || (invitedEmail === null && verifiedAt))
    throw conflict('The member was not invited or has verified the address: no invitation is pending.');
  // An unverified address belongs to an account only while it is the primary one.
  if (invitedEmail !== null && invitedEmail !== address)
    throw conflict(
      'The account has another primary address now: remove the member and invite the address again.',
    );
  return { ...invitee, userId, verified: false };
}

const noSuchMember = () =>
  new ApiError('resource_error/not_found', { message: 'The member does not exist.' });
