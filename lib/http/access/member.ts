import { and, eq } from 'drizzle-orm';
import { refusesWrites } from '../../../db/errors.ts';
import { memberships, type Role } from '../../../db/schema/orgs.ts';
import type { FoundInOrg, SessionUser } from '../../accounts/sessions/look-up.ts';
import type { TokenClaims } from '../../accounts/sessions/signed-token.ts';
import type { Org } from '../../orgs/directory.ts';
import type { OrgCall, PublicCall } from '../call.ts';
import { ApiError } from '../errors.ts';
import { admitToShare, findOrg, requestOf } from './share.ts';
import { admitUser, noteActivity, readCookie, requireLive, requireVerified } from './user.ts';

/** From now on the organization sees the name of a member who was invited by an address they had verified before. */
async function noteFirstVisit({ db, now, log }: PublicCall, org: Org, user: SessionUser): Promise<void> {
  await db
    .update(memberships)
    .set({ confirmedAt: now })
    .where(
      and(
        eq(memberships.orgId, org.id),
        eq(memberships.userId, user.id),
        eq(memberships.confirmedAt, memberships.createdAt),
      ),
    )
    .catch((error) => {
      if (!refusesWrites(error)) throw error;
      log.debug('the first visit was not noted', { error });
    });
}

const RANK: Record<Role, number> = { owner: 3, admin: 2, member: 1, viewer: 0 };

/** The session of a member with at least the role `least`. */
async function findMember(
  base: PublicCall,
  org: Org,
  claims: TokenClaims,
  least: Role,
): Promise<{ session: FoundInOrg; role: Role }> {
  const { services } = base;
  const session = requireLive(await services.sessions.findInOrg(org, claims), base);
  const { user, role, confirmed, requireMfa } = session;
  const request = requestOf(base);
  request.user = user.id;
  request.org = org.slug;
  requireVerified(base, session);
  const pending = services.config.pendingInvitations && !confirmed;
  if (!role || pending) throw new ApiError('tenant_error/not_member');
  if (requireMfa && !user.mfaEnabled) throw new ApiError('permission_error/mfa_required_by_org');
  if (RANK[role] < RANK[least]) throw new ApiError('permission_error/denied');
  return { session, role };
}

export async function admitMember(base: PublicCall, least: Role): Promise<OrgCall> {
  const claims = await readCookie(base);
  // An unknown organization must not hide a dead session, which comes first.
  const org = await findOrg(base).catch(async (error) => {
    await admitUser(base);
    throw error;
  });
  const { session, role } = await admitToShare(base, org, () => findMember(base, org, claims, least));
  const { user } = session;
  await Promise.all([noteActivity(base, session), session.firstVisit && noteFirstVisit(base, org, user)]);
  return Object.assign(base, { user, sessionId: session.id, org, role });
}
