import { and, eq, isNull, lt } from 'drizzle-orm';
import { refusesWrites } from '../../db/errors.ts';
import { sessions } from '../../db/schema/accounts.ts';
import { memberships, type Role } from '../../db/schema/orgs.ts';
import type { FoundInOrg, FoundSession } from '../accounts/sessions/look-up.ts';
import { idleLimit } from '../accounts/sessions/sessions.ts';
import type { TokenClaims } from '../accounts/sessions/signed-token.ts';
import type { Org } from '../orgs/directory.ts';
import { logSecurityEvent } from '../security-events.ts';
import { type ApiToken, parseBearer } from '../tokens/api-tokens.ts';
import type { AgentCall, CookieCall, OrgCall, PublicCall, RequestContext, SessionUser } from './call.ts';
import { ApiError, type ErrorKey } from './errors.ts';
import { hostName, isAllowedOrigin, isOwnOrigin } from './origin.ts';
import { expireStrayCookies, readSessionCookies } from './session-cookie.ts';

/** Who may call an endpoint: SPEC.md's Auth column. There is no default. */
export type Access =
  | { kind: 'public' }
  | { kind: 'baseDomainOnly' }
  | { kind: 'cookie'; stepUp?: true; unverified?: true }
  | { kind: 'cookieOrg'; role: Role }
  | { kind: 'bearer' };

/** Everybody. */
export const publicAccess = { kind: 'public' } as const;
/** Everybody, but on the base domain only, once there is one. */
export const baseDomainOnly = { kind: 'baseDomainOnly' } as const;
/** A user with a live session, on any host. */
export const cookie = { kind: 'cookie' } as const;
/** The same, with a sign-in or a step-up within the last {@link STEP_UP_MS}. */
export const freshCookie = { kind: 'cookie', stepUp: true } as const;
/**
 * A user with a live session, also one whose primary address is not verified while `requireVerifiedEmail` is on: for
 * signing in, verifying the address and signing out.
 */
export const unverifiedCookie = { kind: 'cookie', unverified: true } as const;
/** A member of the organization the host names, with at least this role. */
export const cookieOrg = (role: Role = 'viewer') => ({ kind: 'cookieOrg', role }) as const;
/** An agent with an API token of the organization the host names. */
export const bearer = { kind: 'bearer' } as const;

/** What a handler gets, by its access. */
export type CallOf<A extends Access> = A extends { kind: 'cookie' }
  ? CookieCall
  : A extends { kind: 'cookieOrg' }
    ? OrgCall
    : A extends { kind: 'bearer' }
      ? AgentCall
      : PublicCall;

const GUARD_ERRORS: Record<Access['kind'], readonly ErrorKey[]> = {
  public: [],
  baseDomainOnly: ['auth_error/base_domain_only'],
  cookie: ['auth_error/not_authenticated', 'auth_error/session_revoked'],
  cookieOrg: [
    'auth_error/not_authenticated',
    'auth_error/session_revoked',
    'tenant_error/not_found',
    'tenant_error/not_member',
    'permission_error/mfa_required_by_org',
    'rate_limit_error/exceeded',
  ],
  bearer: [
    'auth_error/not_authenticated',
    'token_error/invalid_format',
    'tenant_error/not_found',
    'token_error/invalid',
    'token_error/expired',
    'rate_limit_error/exceeded',
  ],
};

/** The errors `admit` can answer, for the API's description. */
export function accessErrors(access: Access, method: string): ErrorKey[] {
  const checksOrigin = access.kind !== 'bearer' && !SAFE_METHODS.has(method);
  const checksRole = access.kind === 'cookieOrg' && access.role !== 'viewer';
  return [
    ...GUARD_ERRORS[access.kind],
    ...(needsStepUp(access) ? (['permission_error/step_up_required'] as const) : []),
    ...(checksAddress(access) ? (['permission_error/email_not_verified'] as const) : []),
    ...(checksOrigin || checksRole ? (['permission_error/denied'] as const) : []),
  ];
}

/** How long a sign-in or a step-up counts as fresh. */
const STEP_UP_MS = 10 * 60_000;

/** Whether an endpoint asks for a fresh sign-in or step-up. */
export const needsStepUp = (access: Access): boolean => access.kind === 'cookie' && access.stepUp === true;

/** Whether an endpoint is closed to unverified accounts when `requireVerifiedEmail` is on. */
const checksAddress = (access: Access): boolean =>
  access.kind === 'cookieOrg' || (access.kind === 'cookie' && !access.unverified);

/** A call that was let in, and what is to be done when it is over. */
export interface Admitted<Call> {
  call: Call;
  leave?: () => Promise<void>;
}

/**
 * Lets a request in or throws. Checks run in one order: session (401), verified address (403, with `requireVerifiedEmail`),
 * fresh sign-in (403, {@link freshCookie}), organization (404), membership (403), `require_mfa` (403), role (403). For agents:
 * token format (401), organization (404), token (401).
 */
export async function admit(access: Access, base: PublicCall): Promise<Admitted<PublicCall>> {
  if (access.kind === 'bearer') return admitAgent(base);
  refuseForeignOrigin(base);
  switch (access.kind) {
    case 'public':
      return { call: base };
    case 'baseDomainOnly':
      requireBaseDomain(base);
      return { call: base };
    case 'cookie':
      return { call: await admitUser(base, access) };
    case 'cookieOrg':
      return { call: await admitMember(base, access.role) };
  }
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Cookies go along with requests that other sites cause: those may not change anything. */
function refuseForeignOrigin({ c, services, peer }: PublicCall): void {
  if (SAFE_METHODS.has(c.req.method)) return;
  const origin = c.req.header('origin');
  if (
    origin === undefined ||
    isOwnOrigin(origin, c.req.header('host'), services.config, peer.secure) ||
    isAllowedOrigin(origin, services.config, peer.secure)
  ) {
    return;
  }
  throw new ApiError('permission_error/denied', { message: 'Requests from this origin are not allowed.' });
}

function requireBaseDomain({ c, services }: PublicCall): void {
  const { baseDomain } = services.config;
  if (baseDomain && hostName(c.req.header('host')) !== baseDomain)
    throw new ApiError('auth_error/base_domain_only');
}

const requestOf = ({ c }: PublicCall): RequestContext => c.get('request');

const findOrg = ({ c, services }: PublicCall): Promise<Org> =>
  services.orgs.resolve(hostName(c.req.header('host')), c.req.header('x-org-slug'));

/**
 * Looks up who calls, then takes a place in the organization's share: what `lookUp` refuses takes none, so that strangers
 * cannot fill the share. Look-ups of an organization are grouped, one statement at a time. A caller that had to wait for a
 * place is looked up again, because the token, session or role may have been revoked meanwhile.
 */
async function admitToShare<T>(base: PublicCall, org: Org, lookUp: () => Promise<T>): Promise<T> {
  const { services } = base;
  const caller = await lookUp();
  // From here on the call and its queries come out of the organization's share.
  const { db, sql } = services.database.of(org);
  base.db = db;
  base.sql = sql;
  const place = services.gate.enter(org.id);
  if (typeof place === 'function') {
    base.stepAside = place;
    return caller;
  }
  base.stepAside = await place;
  return lookUp();
}

async function admitAgent(base: PublicCall): Promise<Admitted<AgentCall>> {
  const { c, services, log } = base;
  const text = parseBearer(c.req.header('authorization'));
  const org = await findOrg(base);
  const request = requestOf(base);
  request.org = org.slug;
  const token = await admitToShare(base, org, () => services.apiTokens.check(org, text));
  request.token = token.id;
  if (token.unused) await noteFirstUse(base, org, token);
  let touched = false;
  const tokenTouched = () => {
    touched = true;
  };
  return {
    call: Object.assign(base, { org, token, tokenTouched }),
    async leave() {
      if (touched) return;
      // The answer stands, whatever becomes of the time stamp.
      await services.apiTokens
        .touch(org, token.id)
        .catch((error) => log[refusesWrites(error) ? 'debug' : 'warn']('last_used was not set', { error }));
    },
  };
}

/** Writes to the security log that a token is used for the first time: by one of several requests at once. */
async function noteFirstUse(base: PublicCall, org: Org, { id, projectId }: ApiToken): Promise<void> {
  const isFirst = await base.services.apiTokens.claimFirstUse(org, id).catch((error) => {
    base.log[refusesWrites(error) ? 'debug' : 'warn']('last_used was not set', { error });
    return false;
  });
  if (isFirst) logSecurityEvent(base, 'token_first_used', { project: projectId ?? undefined });
}

/** The claims of the session cookie. */
async function readCookie(base: PublicCall): Promise<TokenClaims> {
  const { claims, expired, tooMany } = await readSessionCookies(base);
  const [first] = claims;
  if (tooMany || claims.length > 1) {
    // One of them may be somebody else's, who waits for what is done in their name.
    expireStrayCookies(base);
    const { ids } = requestOf(base);
    base.log.warn('cookies of several sessions', { ...ids, users: claims.map(({ userId }) => userId) });
    throw new ApiError('auth_error/not_authenticated', {
      message:
        'The request came with cookies of several sessions. Those that are not from here were cleared: try again.',
    });
  }
  if (!first) throw new ApiError(expired ? 'auth_error/session_revoked' : 'auth_error/not_authenticated');
  return first;
}

/** @throws ApiError `auth_error/session_revoked` when there is none that lives */
function requireLive<S extends FoundSession>(session: S | undefined, { now, services }: PublicCall): S {
  const idleSince = idleLimit(services.config, now);
  if (!session || session.revokedAt || session.expiresAt <= now || session.lastActiveAt <= idleSince)
    throw new ApiError('auth_error/session_revoked');
  return session;
}

/** @throws ApiError `permission_error/step_up_required` when the user proved who they are too long ago */
function requireFresh({ authenticatedAt }: FoundSession, now: Date): void {
  if (now.getTime() - authenticatedAt.getTime() > STEP_UP_MS)
    throw new ApiError('permission_error/step_up_required');
}

/** @throws ApiError `permission_error/email_not_verified` */
function requireVerified({ services }: PublicCall, { user }: FoundSession): void {
  if (services.config.requireVerifiedEmail && !user.emailVerified)
    throw new ApiError('permission_error/email_not_verified');
}

const ACTIVITY_STEP_MS = 60_000;

async function noteActivity({ db, now, log }: PublicCall, session: FoundSession): Promise<void> {
  const { id, lastActiveAt } = session;
  const before = new Date(now.getTime() - ACTIVITY_STEP_MS);
  if (lastActiveAt > before) return;
  await db
    .update(sessions)
    .set({ lastActiveAt: now })
    .where(and(eq(sessions.id, id), lt(sessions.lastActiveAt, before), isNull(sessions.revokedAt)))
    .catch((error) => {
      if (!refusesWrites(error)) throw error;
      log.debug('last_active_at was not set', { error });
    });
}

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

/**
 * @param options `stepUp` asks for a fresh sign-in; `unverified` lets in accounts without a verified address, whatever the
 * configuration
 */
async function admitUser(
  base: PublicCall,
  { stepUp = false, unverified = false }: { stepUp?: boolean; unverified?: boolean } = {},
): Promise<CookieCall> {
  const { services, now } = base;
  const claims = await readCookie(base);
  const session = requireLive(await services.sessions.find(claims), base);
  requestOf(base).user = session.user.id;
  if (!unverified) requireVerified(base, session);
  await noteActivity(base, session);
  if (stepUp) requireFresh(session, now);
  return Object.assign(base, { user: session.user, sessionId: session.id });
}

/** Who asks, where nobody has to be signed in; undefined without a session that lives. */
export async function visitorOf(base: PublicCall): Promise<CookieCall | undefined> {
  const { claims, tooMany } = await readSessionCookies(base);
  if (claims.length === 0 && !tooMany) return undefined;
  try {
    return await admitUser(base, { unverified: true });
  } catch (error) {
    if (error instanceof ApiError && error.key === 'auth_error/session_revoked') return undefined;
    throw error;
  }
}

const RANK: Record<Role, number> = { owner: 3, admin: 2, member: 1, viewer: 0 };

async function admitMember(base: PublicCall, least: Role): Promise<OrgCall> {
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
