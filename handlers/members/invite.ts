import { eq } from 'drizzle-orm';
import type { Tx } from '../../db/client.ts';
import { isUniqueViolation } from '../../db/errors.ts';
import { memberships, orgs, ROLES, type Role, userEmails, users } from '../../db/shared.ts';
import { findAnyAccount } from '../../lib/auth/accounts.ts';
import { issueMailedToken } from '../../lib/auth/mailed-tokens.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import type { OrgCall } from '../../lib/http/call.ts';
import { created, endpoint } from '../../lib/http/endpoint.ts';
import { ApiError } from '../../lib/http/errors.ts';
import { email } from '../../lib/http/fields.ts';
import { z } from '../../lib/http/schema.ts';
import { requireMailQuota } from '../../lib/mail/quota.ts';
import { setPassword } from '../../lib/mail/templates.ts';
import { inOrgQuota, requireNoMore } from '../../lib/quotas.ts';
import { Member } from '../../lib/resources.ts';

export const inviteMember = endpoint(
  {
    method: 'post',
    path: '/members/invite',
    access: cookieOrg('admin'),
    tag: 'Members',
    summary: 'Invite a member',
    description:
      'By the primary or a verified address of an account; a primary address need not be verified, so look who is listed before you rely on it. For an address without an account a placeholder is made, which can log in once its owner has set a password by the link that is mailed. Only an owner may invite an owner.',
    request: { body: z.object({ email: email(), role: z.enum(ROLES).openapi({ example: 'member' }) }) },
    responses: { 201: { description: 'The member.', result: Member } },
    errors: ['resource_error/already_exists', 'resource_error/conflict', 'rate_limit_error/exceeded'],
  },
  async (call) => {
    const { body, peer, role, services } = call;
    if (body.role === 'owner' && role !== 'owner') {
      throw new ApiError('permission_error/denied', { message: 'Only an owner may invite an owner.' });
    }
    await services.limits.count('client', peer.ip);
    await services.limits.count('mail', body.email);
    const join = () => inOrgQuota(call, (tx) => addMember(tx, call, body.email, body.role));
    // Somebody may get the address at the same moment, by registering or another invitation: then there is an account.
    const member = await join().catch((error) => {
      if (isUniqueViolation(error)) return join();
      throw error;
    });
    services.mail.kick();
    return created(member);
  },
);

async function addMember(
  tx: Tx,
  call: OrgCall,
  address: string,
  role: Role,
): Promise<z.output<typeof Member>> {
  const known = await findAnyAccount(tx, address);
  // An operator has locked it out, and an invitation is no way back.
  if (known?.disabledAt)
    throw new ApiError('resource_error/conflict', { message: 'This address cannot be invited.' });
  const account = known ?? (await insertPlaceholder(tx, call, address));
  const { id: userId, email, name, avatarUrl } = account;
  const added = await tx
    .insert(memberships)
    .values({ orgId: call.org.id, userId, role, createdAt: call.now })
    .onConflictDoNothing()
    .returning({ userId: memberships.userId });
  if (added.length === 0) {
    throw new ApiError('resource_error/already_exists', { message: 'This user is already a member.' });
  }
  await requireNoMore(tx, call, 'membersPerOrg', memberships, eq(memberships.orgId, call.org.id));
  if (account.passwordHash === null)
    await mailInvitation(tx, call, { userId, emailId: account.emailId, address });
  return { user_id: userId, email, name, avatar_url: avatarUrl, role };
}

/** An account that cannot log in yet; it is called what stands before the @ until its owner is there. */
async function insertPlaceholder(tx: Tx, { services }: OrgCall, address: string) {
  const { id, at: createdAt } = services.nextId();
  const { id: emailId } = services.nextId();
  const name = address.slice(0, address.lastIndexOf('@')).slice(0, 200);
  await tx.insert(users).values({ id, name, createdAt });
  await tx.insert(userEmails).values({ id: emailId, userId: id, email: address, isPrimary: true, createdAt });
  return { id, emailId, email: address, name, avatarUrl: '', passwordHash: null };
}

async function mailInvitation(
  tx: Tx,
  call: OrgCall,
  to: { userId: string; emailId: string; address: string },
): Promise<void> {
  const { now, org, services, user } = call;
  const { userId, emailId, address } = to;
  await requireMailQuota(tx, call, 'link', address);
  const token = await issueMailedToken(tx, { purpose: 'reset_password', userId, emailId }, now);
  const [row] = await tx.select({ name: orgs.name }).from(orgs).where(eq(orgs.id, org.id));
  const { publicUrl } = services.config;
  await services.mail.enqueue(
    tx,
    address,
    setPassword({ publicUrl, token, inviterName: user.name, orgName: row?.name ?? org.slug }),
  );
}
