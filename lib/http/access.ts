import type { Role } from '../../db/schema/orgs.ts';
import type {
  AgentCall,
  CookieCall,
  FreshCall,
  MemberCall,
  OrgCall,
  ProjectCall,
  PublicCall,
  SessionMemberCall,
  UserCall,
} from './call.ts';
import { activity, memberActivity } from './middleware/access/activity.ts';
import { baseDomain } from './middleware/access/base-domain.ts';
import {
  bearerFormat,
  bearerToken,
  ingestScope,
  memberUse,
  tokenScope,
  tokenUse,
} from './middleware/access/bearer-token.ts';
import { byCredential } from './middleware/access/credential.ts';
import { fairShare } from './middleware/access/fair-share.ts';
import { membership } from './middleware/access/membership.ts';
import { organization } from './middleware/access/organization.ts';
import { originCheck } from './middleware/access/origin-check.ts';
import {
  memberToken,
  memberTokenUse,
  personalScope,
  personalToken,
  personalUse,
  tokenOrganization,
} from './middleware/access/personal-token.ts';
import {
  type ProjectRule,
  projectScope,
  type ReachRule,
  withinProject,
} from './middleware/access/project-scope.ts';
import { reach } from './middleware/access/reach.ts';
import { recentSession } from './middleware/access/recent-session.ts';
import { requireMfa } from './middleware/access/require-mfa.ts';
import { requireSso } from './middleware/access/require-sso.ts';
import { role } from './middleware/access/role.ts';
import { memberSession, session } from './middleware/access/session.ts';
import { stepUp } from './middleware/access/step-up.ts';
import { verifiedEmail } from './middleware/access/verified-email.ts';
import type { AnyMiddleware } from './middleware/middleware.ts';

/**
 * Tokens that are accepted instead of a session: none, personal access tokens, or also those of organizations. An endpoint
 * that takes none ignores the Authorization header.
 */
export type TokenRule = 'none' | 'personal' | 'any';

/**
 * Whether an endpoint requires a sign-in or step-up within the last 10 minutes: always, or in the cases that the text names. The
 * functions that change who controls an organization take an `Actor`, which only a call of such an endpoint has (`freshActor`). So an
 * endpoint that makes such a change and does not declare it does not compile.
 */
export type StepUpRule = true | string;

/** The callers an endpoint admits: the column Access in docs/api.md. It has no default. */
export type Access =
  | { kind: 'public'; fromAnySite?: true }
  | { kind: 'baseDomainOnly' }
  | { kind: 'cookie'; stepUp?: StepUpRule; unverified?: true; tokens?: 'personal' }
  | { kind: 'cookieOrg'; role: Role; tokens: TokenRule; project: ReachRule; stepUp?: StepUpRule }
  | { kind: 'bearer'; project: ProjectRule };

/** No authentication. */
export const publicAccess = { kind: 'public' } as const;

/** The same, also for pages of other sites: what the request does takes a token in it, and no cookie. */
export const publicFromAnySite = { kind: 'public', fromAnySite: true } as const;

/** No authentication, but on the base domain only if one is configured. */
export const baseDomainOnly = { kind: 'baseDomainOnly' } as const;

/** A user with a live session, on any host. */
export const cookie = { kind: 'cookie' } as const;

/** A user with a live session who signed in or stepped up within the last 10 minutes. */
export const freshCookie = { kind: 'cookie', stepUp: true } as const;

/** A user with a live session who needs that in some cases: "Requires … within the last 10 minutes" is followed by the text. */
export const freshCookieTo = (cases: string) => ({ kind: 'cookie', stepUp: cases }) as const;

/**
 * A user with a live session, even if `requireVerifiedEmail` is on and the primary address is not verified: for signing in,
 * verifying the address and signing out.
 */
export const unverifiedCookie = { kind: 'cookie', unverified: true } as const;

/** A user with a live session or a personal access token, verified or not, on any host. */
export const unverifiedCookieOrToken = { ...unverifiedCookie, tokens: 'personal' } as const;

/**
 * A member of the organization the host names, with at least this role: with a session or a personal access token. Or a token
 * of the organization whose scopes cover the role.
 * @param project how callers are limited who do not reach all projects
 */
export const cookieOrg = (role: Exclude<Role, 'owner'>, project: ReachRule) =>
  ({ kind: 'cookieOrg', role, tokens: 'any', project }) as const;

/** The same without tokens of the organization, for what belongs to a person. */
export const personOrg = (role: Exclude<Role, 'owner'>, project: ReachRule) =>
  ({ kind: 'cookieOrg', role, tokens: 'personal', project }) as const;

/**
 * The same with a session only, for what decides who has access: a stolen token must not be able to make another token or
 * member, and so outlive its own revocation.
 */
export const sessionOrg = (role: Role, project: ReachRule) =>
  ({ kind: 'cookieOrg', role, tokens: 'none', project }) as const;

/** The same, and signed in or stepped up within the last 10 minutes: always, or in the cases that the text names. */
export const freshCookieOrg = (role: Role, project: ReachRule, cases: StepUpRule = true) =>
  ({ ...sessionOrg(role, project), stepUp: cases }) as const;

/** An agent with an API token of the organization the host names. A project token acts on its project only. */
export const bearer = <P extends ProjectRule>({ project }: { project: P }) =>
  ({ kind: 'bearer', project }) as const;

/** The call that a handler receives, by its access. */
export type CallOf<A extends Access> = CallOfKind<A> &
  (A extends { stepUp: StepUpRule } ? FreshCall : unknown);

type CallOfKind<A extends Access> = A extends { kind: 'cookie' }
  ? A extends { tokens: 'personal' }
    ? UserCall
    : CookieCall
  : A extends { kind: 'cookieOrg' }
    ? CallByTokens[A['tokens']]
    : A extends { kind: 'bearer'; project: 'reference' }
      ? ProjectCall
      : A extends { kind: 'bearer' }
        ? AgentCall
        : PublicCall;

interface CallByTokens {
  none: SessionMemberCall;
  personal: MemberCall;
  any: OrgCall;
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Whether an endpoint may write to the tables of an organization that has none: agents have a token, which is in a table. */
export const mayWrite = (access: Access, method: string): boolean =>
  access.kind === 'cookieOrg' && !SAFE_METHODS.has(method);

/** Whether requests may change what an organization stores. */
export const mayStore = (access: Access, method: string): boolean =>
  !['public', 'baseDomainOnly', 'cookie'].includes(access.kind) && !SAFE_METHODS.has(method);

/** The access checks of an endpoint, in the order in which they run, before its input is read. */
export function checksOf(access: Access, method: string): AnyMiddleware[] {
  const origin = SAFE_METHODS.has(method) ? [] : [originCheck];
  switch (access.kind) {
    case 'public':
      return access.fromAnySite ? [] : origin;
    case 'baseDomainOnly':
      return [...origin, baseDomain];
    case 'cookie': {
      const verified = access.unverified ? [] : [verifiedEmail];
      const bySession = [...origin, session, ...verified, activity, ...freshness(access)];
      if (!access.tokens) return bySession;
      return [byCredential({ session: bySession, personal: [personalToken, ...verified, personalUse] })];
    }
    case 'cookieOrg':
      return checksInOrg(access, origin);
    case 'bearer':
      return [bearerFormat, organization, bearerToken, ingestScope, fairShare([bearerToken]), tokenUse];
  }
}

const freshness = ({ stepUp: rule }: { stepUp?: StepUpRule }): AnyMiddleware[] =>
  rule === undefined ? [] : [stepUp(rule === true)];

/** The access checks in an organization. `fairShare` repeats those of a request that had to wait. */
function checksInOrg(
  { role: least, tokens, project, stepUp: rule }: Extract<Access, { kind: 'cookieOrg' }>,
  origin: AnyMiddleware[],
): AnyMiddleware[] {
  const minimum = least === 'viewer' ? [] : [role(least)];
  const member = [
    ...[memberSession, verifiedEmail, organization, membership, requireSso, requireMfa, recentSession],
    ...minimum,
    reach(least, project),
  ];
  const bySession = [...origin, ...member, fairShare(member), memberActivity, ...freshness({ stepUp: rule })];
  if (tokens === 'none') return bySession;
  const person = [
    ...[memberToken, verifiedEmail, organization, tokenOrganization, membership, requireSso, requireMfa],
    ...[personalScope(least), ...minimum, reach(least, project)],
  ];
  const ofOrganization = tokenScope(least, project);
  const scoped = [bearerToken, ofOrganization];
  return [
    byCredential({
      session: bySession,
      personal: [...person, fairShare(person), memberTokenUse],
      organization: tokens === 'any' ? [ofOrganization, fairShare(scoped), memberUse] : 'refused',
    }),
  ];
}

/** The access checks that need the input, so they run after it is read. */
export function inputChecksOf(access: Access): AnyMiddleware[] {
  if (access.kind === 'bearer')
    return access.project === 'each finding' ? [] : [projectScope(access.project)];
  if (access.kind !== 'cookieOrg') return [];
  const { project, role: least } = access;
  return project === 'project' || project === 'finding' || project === 'scan'
    ? [withinProject(project, least)]
    : [];
}

/** Whether an endpoint requires a sign-in or step-up within the last 10 minutes. Unset: never. */
export const stepUpOf = (access: Access): StepUpRule | undefined =>
  'stepUp' in access ? access.stepUp : undefined;
