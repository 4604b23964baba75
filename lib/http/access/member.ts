import { and, eq } from 'drizzle-orm';
import { refusesWrites } from '../../../db/errors.ts';
import { memberships, type Role } from '../../../db/schema/orgs.ts';
import type { Org } from '../../orgs/directory.ts';
import type { OrgCall, PublicCall, SessionUser } from '../call.ts';
import { findMember } from './access.ts';
import { admitToShare, findOrg } from './share.ts';
import { admitUser, noteActivity, readCookie } from './user.ts';

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

export const RANK: Record<Role, number> = { owner: 3, admin: 2, member: 1, viewer: 0 };

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
