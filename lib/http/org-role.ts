import { hasOrgSlug } from '../../db/orgs/slugs.ts';
import type { Role } from '../../db/schema/orgs.ts';
import { ApiError } from '../errors.ts';
import { requireNetwork, requireRecentSession } from '../orgs/access-limits.ts';
import type { Org } from '../orgs/directory.ts';
import { isOrgFlagActive } from '../orgs/flags.ts';
import { listOrgsOf } from '../orgs/list.ts';
import { readSecuritySettings } from '../orgs/security-settings.ts';
import { readSessionStanding } from '../sso/required.ts';
import { rankOf } from '../tokens/scopes.ts';
import type { CookieCall } from './call.ts';

/**
 * The organization of a path, for a member who reaches all projects, with at least a role. Slugs of former times count as well.
 * @throws ApiError `resource_error/not_found` for everybody but members, as `GET /orgs/{slug}`; `permission_error/denied`;
 *   `permission_error/sso_required`; `permission_error/mfa_required_by_org`; `permission_error/address_not_allowed`;
 *   `permission_error/step_up_required`
 */
export async function requireOrgRole(call: CookieCall, slug: string, least: Role) {
  const [shown] = await listOrgsOf(call, call.services, { where: hasOrgSlug(slug), deleted: true });
  const org = shown && (await call.services.orgs.named(slug));
  if (!org) throw new ApiError('resource_error/not_found');
  // A refusal is recorded in its audit log.
  call.refusingOrg = org;
  if (shown.project_access || rankOf(shown.role) < rankOf(least))
    throw new ApiError('permission_error/denied');
  await requireLimitsOf(call, org);
  await requireFactors(call, org);
  return { org, shown };
}

async function requireLimitsOf({ db, now, peer, services, session }: CookieCall, org: Org): Promise<void> {
  const limits = await readSecuritySettings(db, services.config, org);
  requireNetwork(limits.allowed_networks, peer.ip);
  const { session_idle_minutes: sessionIdleMinutes, session_max_hours: sessionMaxHours } = limits;
  requireRecentSession(session, { sessionIdleMinutes, sessionMaxHours }, now);
}

async function requireFactors({ db, session, sessionId, user }: CookieCall, org: Org): Promise<void> {
  const standing = await readSessionStanding(db, { sessionId, userId: user.id, orgId: org.id });
  if (standing.lacksSso) throw new ApiError('permission_error/sso_required');
  const hasMfa = user.mfaEnabled || session.byPasskey || standing.trustedMfa;
  if (!hasMfa && (await isOrgFlagActive(db, org.tables, 'require_mfa')))
    throw new ApiError('permission_error/mfa_required_by_org');
}
