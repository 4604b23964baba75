import type { Role } from '../../db/schema/orgs.ts';
import type { AgentCall, CookieCall, OrgCall, ProjectCall, PublicCall } from './call.ts';
import { activity, memberActivity } from './middleware/access/activity.ts';
import { baseDomain } from './middleware/access/base-domain.ts';
import { bearerFormat, bearerToken, tokenUse } from './middleware/access/bearer-token.ts';
import { fairShare } from './middleware/access/fair-share.ts';
import { membership } from './middleware/access/membership.ts';
import { organization } from './middleware/access/organization.ts';
import { originCheck } from './middleware/access/origin-check.ts';
import { type ProjectRule, projectScope } from './middleware/access/project-scope.ts';
import { requireMfa } from './middleware/access/require-mfa.ts';
import { role } from './middleware/access/role.ts';
import { memberSession, session } from './middleware/access/session.ts';
import { stepUp } from './middleware/access/step-up.ts';
import { verifiedEmail } from './middleware/access/verified-email.ts';
import type { AnyMiddleware } from './middleware/middleware.ts';

/** The callers an endpoint admits: the column Access in docs/api.md. It has no default. */
export type Access =
  | { kind: 'public' }
  | { kind: 'baseDomainOnly' }
  | { kind: 'cookie'; stepUp?: true; unverified?: true }
  | { kind: 'cookieOrg'; role: Role; stepUp?: true }
  | { kind: 'bearer'; project: ProjectRule };

/** No authentication. */
export const publicAccess = { kind: 'public' } as const;

/** No authentication, but on the base domain only if one is configured. */
export const baseDomainOnly = { kind: 'baseDomainOnly' } as const;

/** A user with a live session, on any host. */
export const cookie = { kind: 'cookie' } as const;

/** A user with a live session who signed in or stepped up within the last 10 minutes. */
export const freshCookie = { kind: 'cookie', stepUp: true } as const;

/**
 * A user with a live session, even if `requireVerifiedEmail` is on and the primary address is not verified: for signing in,
 * verifying the address and signing out.
 */
export const unverifiedCookie = { kind: 'cookie', unverified: true } as const;

/** A member of the organization the host names, with at least this role. */
export const cookieOrg = (role: Role = 'viewer') => ({ kind: 'cookieOrg', role }) as const;

/** The same, and signed in or stepped up within the last 10 minutes. */
export const freshCookieOrg = (role: Role) => ({ kind: 'cookieOrg', role, stepUp: true }) as const;

/** An agent with an API token of the organization the host names. A project token acts on its project only. */
export const bearer = <P extends ProjectRule>({ project }: { project: P }) =>
  ({ kind: 'bearer', project }) as const;

/** The call that a handler receives, by its access. */
export type CallOf<A extends Access> = A extends { kind: 'cookie' }
  ? CookieCall
  : A extends { kind: 'cookieOrg' }
    ? OrgCall
    : A extends { kind: 'bearer'; project: 'reference' }
      ? ProjectCall
      : A extends { kind: 'bearer' }
        ? AgentCall
        : PublicCall;

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** The access checks of an endpoint, in the order in which they run, before its input is read. */
export function checksOf(access: Access, method: string): AnyMiddleware[] {
  const origin = SAFE_METHODS.has(method) ? [] : [originCheck];
  switch (access.kind) {
    case 'public':
      return origin;
    case 'baseDomainOnly':
      return [...origin, baseDomain];
    case 'cookie':
      return [
        ...origin,
        session,
        ...(access.unverified ? [] : [verifiedEmail]),
        activity,
        ...(access.stepUp ? [stepUp] : []),
      ];
    case 'cookieOrg': {
      const minimum = access.role === 'viewer' ? [] : [role(access.role)];
      const checks = [memberSession, verifiedEmail, organization, membership, requireMfa, ...minimum];
      const fresh = access.stepUp ? [stepUp] : [];
      return [...origin, ...checks, fairShare(checks), memberActivity, ...fresh];
    }
    case 'bearer':
      return [bearerFormat, organization, bearerToken, fairShare([bearerToken]), tokenUse];
  }
}

/** The access checks that need the input, so they run after it is read. */
export const inputChecksOf = (access: Access): AnyMiddleware[] =>
  access.kind === 'bearer' && access.project !== 'each finding' ? [projectScope(access.project)] : [];

/** Whether an endpoint requires a sign-in or step-up within the last 10 minutes. */
export const needsStepUp = (access: Access): boolean => 'stepUp' in access && access.stepUp === true;
