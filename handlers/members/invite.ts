import { eq } from 'drizzle-orm';
import type { Tx } from '../../db/client.ts';
import { isUniqueViolation } from '../../db/errors.ts';
import { markUsed } from '../../db/orgs/slugs.ts';
import { reloadRulesOf } from '../../db/rules/members.ts';
import type { OrgTables } from '../../db/schema/org.ts';
import { memberships, PROJECT_ACCESS, ROLES, type Role } from '../../db/schema/orgs.ts';
import { run } from '../../db/statements.ts';
import { ApiError } from '../../lib/errors.ts';
import { freshCookieOrg } from '../../lib/http/access.ts';
import { created } from '../../lib/http/answer.ts';
import { newValues } from '../../lib/http/audit.ts';
import type { MemberCall } from '../../lib/http/call.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { email } from '../../lib/http/fields.ts';
import { logSecurityEvent } from '../../lib/http/security-log.ts';
import { assignmentChanges, assignments } from '../../lib/members/access.ts';
import { mailRoleChange } from '../../lib/members/control.ts';
import { requireNotDeclined } from '../../lib/members/declining.ts';
import { findMember } from '../../lib/members/fields.ts';
import { mailInvitation } from '../../lib/members/invitations.ts';
import { findInvitee, GivenUp, insertPlaceholder } from '../../lib/members/invitees.ts';
import { readRoles, requireAdmin } from '../../lib/members/owners.ts';
import { grant } from '../../lib/members/ownership.ts';
import { isControlling, mayManageRole } from '../../lib/members/roles.ts';
import type { Actor } from '../../lib/orgs/notices.ts';
import { removeRoles, replaceRoles } from '../../lib/projects/members.ts';
import { requireStays } from '../../lib/projects/transfer/guard.ts';
import { inOrgQuota, requireNoMore } from '../../lib/quotas.ts';
import { Member } from '../../lib/resources.ts';
import { optional, z } from '../../lib/schema.ts';

const Invitation = z
  .object({
    email: email(),
    role: z.enum(ROLES).openapi({ example: 'member' }),
    project_access: optional(z.enum(PROJECT_ACCESS).openapi({ example: 'assigned' })),
    projects: assignments(),
  })
  .superRefine(({ role, project_access: access, projects = [] }, context) => {
    // A person whose projects are named is not meant to reach all.
    if (projects.length > 0 && access !== 'assigned')
      context.addIssue({
        code: 'custom',
        path: ['projects'],
        message: 'requires project_access assigned',
      });
    if (role === 'owner' && access === 'assigned')
      context.addIssue({ code: 'custom', path: ['project_access'], message: 'must be all for an owner' });
  })
  .openapi('Invitation', { example: { email: 'grace@example.com', role: 'member' } });

export const inviteMember = endpoint(
  {
    method: 'post',
    path: '/members/invite',
    access: freshCookieOrg('admin', 'none', 'for the roles `admin` and `owner`'),
    audit: 'member.invited',
    tag: 'Members',
    summary: 'Invite a member',
    description:
      'By the primary or a verified address of an account. The invitation is always mailed. An address without an account gets a placeholder account, which can log in once its owner has set a password by the mailed link. The answer and the list of members show the invited address only, never another address of the account. With `SVC_PENDING_INVITATIONS` the membership is `pending`, without access, until the account has verified the address; without it a member whose address is not `verified` has access at once. Only an owner may invite an owner; with `SVC_OWNER_ACCEPTANCE` the member is an admin until `POST /members/accept-ownership`. The mail has a link to decline: 409 `conflict` for 30 days if this address has declined an invitation to this organization. All owners get a mail about a new admin or owner.',
    request: { body: Invitation },
    responses: { 201: { description: 'The member.', result: Member } },
    errors: ['resource_error/already_exists', 'resource_error/conflict', 'rate_limit_error/exceeded'],
  },
  async (call) => {
    const { body, peer, role, services } = call;
    requireMayInvite(role, body.role);
    const actor = isControlling(body.role) ? call.freshActor() : undefined;
    if (body.projects) await requireStays(call, { projects: body.projects.map(({ project_id: id }) => id) });
    await services.limits.count('client', peer.ip);
    // A limit apart from that of the owner's mails: an invitation must not keep the owner from resetting the password.
    await services.limits.count('mail', `invitation ${body.email}`);
    const join = () =>
      call.audited(
        (inside) =>
          inOrgQuota(inside, (tx, tables) =>
            addMember(tx, call, tables, { ...body, address: body.email, actor }),
          ),
        ({ member, assigned }) => ({
          target: { type: 'member', id: member.user_id, name: member.email },
          changes: {
            ...newValues({ role: body.role, project_access: body.project_access }),
            ...assignmentChanges(assigned),
          },
        }),
      );
    // Somebody may get or give up the address at the same moment: the second attempt sees what became of it.
    const { member } = await join().catch((error) => {
      if (isUniqueViolation(error) || error instanceof GivenUp) return join();
      throw error;
    });
    services.mail.kick();
    logSecurityEvent(call, 'member_invited', { member: member.user_id, role: member.role });
    if (member.owner_offer_until)
      logSecurityEvent(call, 'owner_offer', { member: member.user_id, outcome: 'offered' });
    return created(member);
  },
);

/** @throws ApiError `permission_error/denied` */
function requireMayInvite(own: Role, asked: Role): void {
  if (!mayManageRole(own, asked))
    throw new ApiError('permission_error/denied', { message: 'Only an owner may invite an owner.' });
}

async function addMember(
  tx: Tx,
  call: MemberCall,
  tables: OrgTables,
  {
    address,
    role: asked,
    project_access: projectAccess = 'all',
    projects = [],
    actor,
  }: z.output<typeof Invitation> & { address: string; actor: Actor | undefined },
) {
  const { now, org, services, user } = call;
  // Role and access may have changed since the access check.
  const { own } = await readRoles(tx, org.id, { caller: user.id, member: user.id });
  requireAdmin(own);
  requireMayInvite(own.role, asked);
  await requireNotDeclined(tx, org.id, address, now);
  const granted = grant(services.config, { role: asked, by: user.id, now });
  const { role } = granted;
  const offer = granted.ownerOfferUntil ? ('offered' as const) : undefined;
  const invitee =
    (await findInvitee(tx, address, role)) ?? (await insertPlaceholder(tx, services, address, role));
  const added = await tx
    .insert(memberships)
    .values({
      orgId: org.id,
      userId: invitee.userId,
      ...granted,
      projectAccess,
      ownerSince: role === 'owner' ? now : null,
      invitedEmail: address,
      confirmedAt: invitee.verified ? now : null,
      createdAt: now,
    })
    .onConflictDoNothing()
    .returning({ userId: memberships.userId });
  if (added.length === 0) {
    throw new ApiError('resource_error/already_exists', { message: 'This user is already a member.' });
  }
  await requireNoMore(tx, services.config, 'membersPerOrg', memberships, eq(memberships.orgId, call.org.id));
  await removeRoles(tx, tables, invitee.userId);
  const assigned = await replaceRoles(tx, tables, invitee.userId, projects, now);
  await markUsed(tx, org.id);
  await mailInvitation(tx, services, { ...invitee, isOffered: offer !== undefined }, call);
  if (actor) await mailRoleChange(tx, actor, { orgId: org.id, userId: invitee.userId, to: role, offer });
  // A former member may still be the assignee of a rule.
  if (!invitee.isPlaceholder) await run(tx, reloadRulesOf(tables, invitee.userId));
  const member = await findMember(tx, { config: services.config, now }, org.id, invitee.userId);
  if (!member) throw new Error('the new member is missing');
  return { member, assigned };
}
