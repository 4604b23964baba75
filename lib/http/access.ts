import type { Role } from '../../db/schema/orgs.ts';
import type { AgentCall, CookieCall, OrgCall, ProjectCall, PublicCall } from './call.ts';
import { activity, memberActivity } from './middleware/activity.ts';
import { baseDomain } from './middleware/base-domain.ts';
import { bearerFormat, bearerToken, tokenUse } from './middleware/bearer-token.ts';
import { fairShare } from './middleware/fair-share.ts';
import { membership } from './middleware/membership.ts';
import type { AnyMiddleware } from './middleware/middleware.ts';
import { organization } from './middleware/organization.ts';
import { originCheck } from './middleware/origin-check.ts';
import { type ProjectRule, projectScope } from './middleware/project-scope.ts';
import { requireMfa } from './middleware/require-mfa.ts';
import { role } from './middleware/role.ts';
import { memberSession, session } from './middleware/session.ts';
import { stepUp } from './middleware/step-up.ts';
import { verifiedEmail } from './middleware/verified-email.ts';

/** Who may call an endpoint: the column Auth of the API contract. There is no default. */
export type Access =
  | { kind: 'public' }
  | { kind: 'baseDomainOnly' }
  | { kind: 'cookie'; stepUp?: true; unverified?: true }
  | { kind: 'cookieOrg'; role: Role }
  | { kind: 'bearer'; project: ProjectRule };

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

/** An agent with an API token of the organization the host names; a project's token acts on its project only. */
export const bearer = <P extends ProjectRule>({ project }: { project: P }) =>
  ({ kind: 'bearer', project }) as const;

/** What a handler gets, by its access. */
export type CallOf<A extends Access> = A extends { kind: 'cookie' }
  ? CookieCall
  : A extends { kind: 'cookieOrg' }
    ? OrgCall
    : A extends { kind: 'bearer'; project: 'reference' }
      ? ProjectCall
      : A extends { kind: 'bearer' }
        ? AgentCall
        : PublicCall;

/** Methods that change nothing. */
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
      const least = access.role === 'viewer' ? [] : [role(access.role)];
      const checks = [memberSession, verifiedEmail, organization, membership, requireMfa, ...least];
      return [...origin, ...checks, fairShare(checks), memberActivity];
    }
    case 'bearer':
      return [bearerFormat, organization, bearerToken, fairShare([bearerToken]), tokenUse];
  }
}

/** The access checks that need the input: they run after it is read. */
export const inputChecksOf = (access: Access): AnyMiddleware[] =>
  access.kind === 'bearer' ? [projectScope(access.project)] : [];

/** Whether an endpoint asks for a fresh sign-in or step-up. */
export const needsStepUp = (access: Access): boolean => access.kind === 'cookie' && access.stepUp === true;
