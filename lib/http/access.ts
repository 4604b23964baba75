import { and, eq, isNull, lt } from 'drizzle-orm';
import { refusesWrites } from '../../db/errors.ts';
import { type Role, sessions } from '../../db/shared.ts';
import { parseBearer } from '../auth/api-tokens.ts';
import type { FoundSession } from '../auth/session-look-up.ts';
import type { TokenClaims } from '../auth/signed-token.ts';
import type { Org } from '../orgs.ts';
import type { AgentCall, CookieCall, OrgCall, PublicCall, RequestContext } from './call.ts';
import { ApiError, type ErrorKey } from './errors.ts';
import { hostName, isAllowedOrigin, isOwnOrigin } from './origin.ts';
import { expireStrayCookies, readSessionCookies } from './session-cookie.ts';

/** Who may call an endpoint: SPEC.md's Auth column. There is no default. */
export type Access =
  | { kind: 'public' }
  | { kind: 'baseDomainOnly' }
  | { kind: 'cookie' }
  | { kind: 'cookieOrg'; role: Role }
  | { kind: 'bearer' };

/** Everybody. */
export const publicAccess = { kind: 'public' } as const;
/** Everybody, but on the base domain only, once there is one. */
export const baseDomainOnly = { kind: 'baseDomainOnly' } as const;
/** A user with a live session, on any host. */
export const cookie = { kind: 'cookie' } as const;
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
    ...(checksOrigin || checksRole ? (['permission_error/denied'] as const) : []),
  ];
}

/** A call that was let in, and what is to be done when it is over. */
export interface Admitted<Call> {
  call: Call;
  leave?: () => Promise<void>;
}

/**
 * Lets a request in or throws. Checks run in one order: session (401), organization (404), membership (403),
 * `require_mfa` (403), role (403); for agents token format (401), organization (404), token (401).
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
      return { call: await admitUser(base) };
    case 'cookieOrg':
      return { call: await admitMember(base, access.role) };
  }
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Cookies go along with requests that other sites cause: those may not change anything. */
function refuseForeignOrigin({ c, services }: PublicCall): void {
  if (SAFE_METHODS.has(c.req.method)) return;
  const origin = c.req.header('origin');
  if (
    origin === undefined ||
    isOwnOrigin(origin, c.req.header('host')) ||
    isAllowedOrigin(origin, services.config)
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

/** From here on the call and its queries come out of the organization's share. */
async function resolveOrg(base: PublicCall): Promise<Org> {
  const { c, services } = base;
  const org = await services.orgs.resolve(hostName(c.req.header('host')), c.req.header('x-org-slug'));
  const { db, sql } = services.database.of(org);
  base.db = db;
  base.sql = sql;
  const leave = services.gate.enter(org.id);
  base.stepAside = typeof leave === 'function' ? leave : await leave;
  return org;
}

async function admitAgent(base: PublicCall): Promise<Admitted<AgentCall>> {
  const { c, services, log } = base;
  const text = parseBearer(c.req.header('authorization'));
  const org = await resolveOrg(base);
  requestOf(base).org = org.slug;
  const token = await services.apiTokens.check(org, text);
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
function requireLive<S extends FoundSession>(session: S | undefined, now: Date): S {
  if (!session || session.revokedAt || session.expiresAt <= now)
    throw new ApiError('auth_error/session_revoked');
  return session;
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

async function admitUser(base: PublicCall): Promise<CookieCall> {
  const { services, now } = base;
  const claims = await readCookie(base);
  const session = requireLive(await services.sessions.find(claims), now);
  requestOf(base).user = session.user.id;
  await noteActivity(base, session);
  return Object.assign(base, { user: session.user, sessionId: session.id });
}

/** Who asks, where nobody has to be signed in; undefined without a session that lives. */
export async function visitorOf(base: PublicCall): Promise<CookieCall | undefined> {
  const { claims, tooMany } = await readSessionCookies(base);
  if (claims.length === 0 && !tooMany) return undefined;
  try {
    return await admitUser(base);
  } catch (error) {
    if (error instanceof ApiError && error.key === 'auth_error/session_revoked') return undefined;
    throw error;
  }
}

const RANK: Record<Role, number> = { owner: 3, admin: 2, member: 1, viewer: 0 };

async function admitMember(base: PublicCall, least: Role): Promise<OrgCall> {
  const { services, now } = base;
  const claims = await readCookie(base);
  // An unknown organization must not hide a dead session, which comes first.
  const org = await resolveOrg(base).catch(async (error) => {
    await admitUser(base);
    throw error;
  });
  const session = requireLive(await services.sessions.findInOrg(org, claims), now);
  const { user, role, requireMfa } = session;
  const request = requestOf(base);
  request.user = user.id;
  request.org = org.slug;
  if (!role) throw new ApiError('tenant_error/not_member');
  if (requireMfa && !user.mfaEnabled) throw new ApiError('permission_error/mfa_required_by_org');
  if (RANK[role] < RANK[least]) throw new ApiError('permission_error/denied');
  await noteActivity(base, session);
  return Object.assign(base, { user, sessionId: session.id, org, role });
}
