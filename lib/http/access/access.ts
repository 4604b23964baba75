import type { Role } from '../../../db/schema/orgs.ts';
import type { AgentCall, CookieCall, OrgCall, PublicCall } from '../call.ts';
import type { ErrorKey } from '../errors.ts';

/** Who may call an endpoint: the column Auth of the API contract. There is no default. */
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

/** The same, with a sign-in or a step-up within the last 10 minutes. */
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

/** Methods that change nothing. */
export const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

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

/** Whether an endpoint asks for a fresh sign-in or step-up. */
export const needsStepUp = (access: Access): boolean => access.kind === 'cookie' && access.stepUp === true;

/** Whether an endpoint is closed to unverified accounts when `requireVerifiedEmail` is on. */
const checksAddress = (access: Access): boolean =>
  access.kind === 'cookieOrg' || (access.kind === 'cookie' && !access.unverified);

/** An admitted call, and its clean-up once it is answered. */
export interface Admitted<Call> {
  call: Call;
  leave?: () => Promise<void>;
}
