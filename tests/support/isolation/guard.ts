import type { Role } from '../../../db/schema/orgs.ts';
import { type Call, projectOf } from './call.ts';
import { claimsOf, type Door } from './picks.ts';
import {
  BASE_DOMAIN,
  type EndpointName,
  type Facts,
  idOf,
  type Membership,
  ORGS,
  type OrgFacts,
  type OrgName,
  sha256,
  TOO_HARD,
  type UserName,
} from './world.ts';

export type Refusal = [status: number, error: string];

export interface Admitted {
  kind: 'nobody' | 'user' | 'member' | 'agent' | 'script';
  user?: UserName;
  session?: string;
  org?: OrgName;
  role?: Role;
  /** The roles by project of a caller who does not reach all. */
  reach?: Record<string, Role>;
  token?: { id: string; project: string | null };
  /** Id of a personal token. */
  personal?: string;
}

const NOT_AUTHENTICATED: Refusal = [401, 'auth_error/not_authenticated'];
const SESSION_OVER: Refusal = [401, 'auth_error/session_revoked'];
const NO_ORG: Refusal = [404, 'tenant_error/not_found'];
const STEP_UP: Refusal = [403, 'permission_error/step_up_required'];
const DENIED: Refusal = [403, 'permission_error/denied'];
const NOT_VERIFIED: Refusal = [403, 'permission_error/email_not_verified'];
const SCOPE: Refusal = [403, 'token_error/scope_mismatch'];
const NOT_FOUND: Refusal = [404, 'resource_error/not_found'];
const UNDONE: Refusal = [409, 'resource_error/conflict'];
/** Operations that a disabled webhook or integration refuses. */
const SENDS = new Set<EndpointName>([
  'testWebhook',
  'redeliver',
  'testIntegration',
  'redeliverToIntegration',
]);
const TRANSFERS = new Set<EndpointName>(['getProjectTransfer', 'cancelProjectTransfer']);
export const RANK: Role[] = ['viewer', 'member', 'admin', 'owner'];

/** Whether the call is admitted (docs/architecture.md, access). */
function guard(call: Call, facts: Facts): Admitted | Refusal {
  const { access, method } = call.endpoint;
  const { door } = call;
  const { origin, token } = call.picks;
  const { org } = call;
  if (access.kind === 'bearer') {
    if (token === undefined) return NOT_AUTHENTICATED;
    if (token === 'garbage' || 'of' in token) return [401, 'token_error/invalid_format'];
    if (!org) return NO_ORG;
    const found = tokenOf(call, facts, org);
    if (Array.isArray(found)) return found;
    if (!found.scopes.includes('ingest')) return SCOPE;
    return { kind: 'agent', org, token: { id: found.id, project: found.project } };
  }
  const byToken = guardToken(call, facts);
  if (byToken) return byToken;
  const isForAnySite = access.kind === 'public' && access.fromAnySite;
  if (method !== 'GET' && origin && !isForAnySite && !isFriendly(origin, door)) return DENIED;
  const visitor = visitorOf(call, facts);
  if (access.kind === 'public') {
    // Strict mode has no metrics without a token of their own.
    if (call.picks.endpoint === 'metrics' && door.app === 'strict') return NOT_FOUND;
    // `session` also answers visitors that are not signed in.
    return call.picks.endpoint === 'session' && !Array.isArray(visitor) ? visitor : { kind: 'nobody' };
  }
  if (access.kind === 'baseDomainOnly')
    return door.app === 'based' && door.host !== BASE_DOMAIN
      ? [403, 'auth_error/base_domain_only']
      : { kind: 'nobody' };

  if (Array.isArray(visitor)) return visitor;
  const id = idOf('user', visitor.user);
  const isFree = access.kind === 'cookie' && access.unverified;
  if (door.app === 'strict' && !isFree && !isVerified(id, facts)) return NOT_VERIFIED;
  if (access.kind === 'cookie') {
    return access.stepUp === true && !isFresh(visitor, facts) ? STEP_UP : visitor;
  }
  if (!org) return NO_ORG;
  const { flags } = facts.orgs[org];
  const membership = membershipOf(call, facts, org, id);
  if (!membership) return [403, 'tenant_error/not_member'];
  const { role } = membership;
  if (flags.require_mfa && !facts.users[id]?.mfa) return [403, 'permission_error/mfa_required_by_org'];
  if (RANK.indexOf(role) < RANK.indexOf(access.role)) return DENIED;
  if (membership.limited && access.project === 'none') return DENIED;
  if (access.stepUp === true && !isFresh(visitor, facts)) return STEP_UP;
  return { ...visitor, kind: 'member', org, ...limited(facts.orgs[org], id, membership, role) };
}

const isFresh = ({ session }: Admitted, { sessions }: Facts) => sessions[session ?? '']?.fresh;

/** The token of an organization that a call carries. */
function tokenOf(call: Call, facts: Facts, org: OrgName) {
  const hash = sha256(call.tokenText ?? '');
  const [id, row] = Object.entries(facts.orgs[org].tokens).find(([, row]) => row.hash === hash) ?? [];
  if (!id || !row || row.revoked) return [401, 'token_error/invalid'] satisfies Refusal;
  return row.expired ? ([401, 'token_error/expired'] satisfies Refusal) : { id, ...row };
}

/** The role that the scopes give on the endpoints of members. */
const roleOf = (scopes: string): Role | undefined =>
  scopes.includes('admin')
    ? 'admin'
    : scopes.includes('triage')
      ? 'member'
      : scopes.includes('read')
        ? 'viewer'
        : undefined;

/** Whether a call is admitted by its token. @returns undefined if only a session counts */
function guardToken(call: Call, facts: Facts): Admitted | Refusal | undefined {
  const { access } = call.endpoint;
  const { token } = call.picks;
  const { door, org } = call;
  if (access.kind !== 'cookie' && access.kind !== 'cookieOrg') return undefined;
  const { tokens = 'none' } = access;
  if (token === undefined || token === 'garbage' || tokens === 'none') return undefined;
  if (!('of' in token)) {
    if (access.kind === 'cookie') return undefined;
    if (!org) return NO_ORG;
    const found = tokenOf(call, facts, org);
    if (Array.isArray(found)) return found;
    const scoped = roleOf(found.scopes);
    if (!scoped) return undefined;
    const isKept = facts.orgs[org].rule === 'keep';
    const membership = isKept ? undefined : membershipOf(call, facts, org, found.creator);
    const creator = isKept ? 'owner' : membership?.role;
    if (tokens === 'personal' || !creator) return SCOPE;
    const role = lower(scoped, creator);
    if (RANK.indexOf(role) < RANK.indexOf(access.role)) return SCOPE;
    const script = { kind: 'script' as const, org, token: { id: found.id, project: found.project } };
    const byCreator = membership && limited(facts.orgs[org], found.creator, membership, role);
    if (found.project !== null) {
      if (access.project === 'none' || access.project === 'any member') return SCOPE;
      const own = byCreator?.reach ? byCreator.reach[found.project] : role;
      if (!own || RANK.indexOf(own) < RANK.indexOf(access.role)) return SCOPE;
      return { ...script, role: own, reach: { [found.project]: own } };
    }
    if (byCreator?.reach && access.project === 'none') return SCOPE;
    return { ...script, role, ...byCreator };
  }
  const hash = sha256(call.tokenText ?? '');
  const [id, row] = Object.entries(facts.personal).find(([, one]) => one.hash === hash) ?? [];
  if (!id || !row) return [401, 'token_error/invalid'];
  if (row.expired) return [401, 'token_error/expired'];
  const isFree = access.kind === 'cookie' && access.unverified;
  if (door.app === 'strict' && !isFree && !isVerified(row.user, facts)) return NOT_VERIFIED;
  const admitted = { user: token.of, personal: id };
  if (access.kind === 'cookie') return { ...admitted, kind: 'user' };
  if (!org) return NO_ORG;
  if (row.org !== null && row.org !== idOf('org', org)) return SCOPE;
  const membership = membershipOf(call, facts, org, row.user);
  if (!membership) return [403, 'tenant_error/not_member'];
  const own = membership.role;
  if (facts.orgs[org].flags.require_mfa && !facts.users[row.user]?.mfa)
    return [403, 'permission_error/mfa_required_by_org'];
  const scoped = roleOf(row.scopes) ?? 'viewer';
  if (RANK.indexOf(scoped) < RANK.indexOf(access.role)) return SCOPE;
  if (RANK.indexOf(own) < RANK.indexOf(access.role)) return DENIED;
  if (membership.limited && access.project === 'none') return DENIED;
  const ofRow = limited(facts.orgs[org], row.user, membership, lower(own, scoped));
  return { ...admitted, kind: 'member', org, ...ofRow };
}

/** The role of a member, which is at most `member` outside of projects if the access is limited, and the roles by project. */
function limited(
  { assigned }: OrgFacts,
  user: string,
  membership: Membership,
  role: Role,
): Pick<Admitted, 'role' | 'reach'> {
  return membership.limited
    ? { role: lower(role, 'member'), reach: rolesOf(assigned, user, role) }
    : { role };
}

/** The roles of a user by project, with a ceiling. */
export const rolesOf = (
  assigned: OrgFacts['assigned'],
  user: string,
  ceiling: Role = 'owner',
): Record<string, Role> =>
  Object.fromEntries(
    Object.entries(assigned).flatMap(([key, role]) => {
      const [project = '', member] = key.split(' ');
      return member === user ? [[project, lower(ceiling, role)]] : [];
    }),
  );

const lower = (a: Role, b: Role): Role => (RANK.indexOf(a) < RANK.indexOf(b) ? a : b);

/** The project that the path of a call names; undefined if the endpoint is not limited by it. */
function projectNamed(call: Call, { projects, findings, scans }: OrgFacts): string | undefined {
  const [word, value = ''] = call.named[0] ?? [];
  const { access } = call.endpoint;
  const rule = access.kind === 'cookieOrg' ? access.project : '';
  if (word === undefined || !['project', 'finding', 'scan'].includes(rule)) return undefined;
  const bySlug = Object.entries(projects).find(([, slug]) => slug === value)?.[0];
  const byId = value in projects ? value : undefined;
  return { findings: findings[value], scans: scans[value], projects: byId ?? bySlug }[word] ?? 'none';
}

const isVerified = (user: string, { emails }: Facts) =>
  Object.values(emails).some((email) => email.user === user && email.primary && email.verified);

/** The membership, if it gives access where the call arrives. */
export function membershipOf(call: Call, facts: Facts, org: OrgName, user: string): Membership | undefined {
  const membership = facts.orgs[org].members[user];
  if (!membership || call.door.app !== 'strict') return membership;
  const { invited, confirmed } = membership;
  return confirmed || (invited === null && isVerified(user, facts)) ? membership : undefined;
}

/** The user of the cookie. */
function visitorOf(call: Call, facts: Facts): (Admitted & { user: UserName }) | Refusal {
  const claims = claimsOf(call.picks.cookie);
  if (!claims) return NOT_AUTHENTICATED;
  const { user, session } = claims;
  const row = facts.sessions[session];
  if (!row?.live || row.user !== idOf('user', user)) return SESSION_OVER;
  return { kind: 'user', user, session };
}

const isFriendly = (origin: string, { app, host }: Door) =>
  new URL(origin).host === host || (app === 'based' && origin.endsWith(`.${BASE_DOMAIN}`));

/**
 * The refusal of an admitted call that names something missing or foreign.
 * @returns undefined when the call has to succeed
 */
function refusal(call: Call, facts: Facts, admitted: Admitted): Refusal | undefined {
  const { org, reach, token, user } = admitted;
  let { role } = admitted;
  if (call.picks.endpoint === 'deleteMe') return [400, 'validation_error/field_invalid'];
  const withoutSecret = WITHOUT_SECRET[call.picks.endpoint];
  if (withoutSecret) return withoutSecret;
  if (call.picks.endpoint === 'exchangeCiToken') return call.org ? [401, 'token_error/invalid'] : NO_ORG;
  if (admitted.kind === 'user')
    return namesForeign(call, facts, idOf('user', user ?? ''))
      ? NOT_FOUND
      : verifiesOther(call, facts, idOf('user', user ?? ''))
        ? NOT_VERIFIED
        : ownsNot(call, facts, idOf('user', user ?? ''));
  if (!org) return undefined;
  const here = facts.orgs[org];
  const path = Object.fromEntries(call.named);
  const own = user ? idOf('user', user) : (token?.id ?? '');
  const json = call.body?.json ?? {};

  const inProject = reach && projectNamed(call, here);
  if (inProject) {
    const { access } = call.endpoint;
    role = reach[inProject];
    if (!role) return NOT_FOUND;
    if (access.kind === 'cookieOrg' && RANK.indexOf(role) < RANK.indexOf(access.role)) return DENIED;
  }
  if (path.findings && !(path.findings in here.findings)) return NOT_FOUND;
  if (path.exploits && here.exploits[path.exploits] !== path.findings) return NOT_FOUND;
  if (path.comments) {
    const comment = here.comments[path.comments];
    if (comment?.finding !== path.findings) return NOT_FOUND;
    if (comment?.author !== own) return DENIED;
  }
  if (path.changes) {
    const change = here.changes[path.changes];
    if (!change) return NOT_FOUND;
    const project = here.findings[change.finding];
    if (reach && project && RANK.indexOf(reach[project] ?? 'viewer') < RANK.indexOf('member'))
      return NOT_FOUND;
    if (change.author !== own && role === 'member') return DENIED;
    if (change.undone) return UNDONE;
  }
  // The world has none.
  if (path.issues || path.deletions || path.connections || path.domains || path['ci-trusts'])
    return NOT_FOUND;
  const named = path.webhooks ?? path.integrations;
  const destination = (path.webhooks ? here.webhooks : here.integrations)[named ?? ''];
  if (named && !destination) return NOT_FOUND;
  if (path.deliveries && !(`${named} ${path.deliveries}` in here.deliveries)) return NOT_FOUND;
  if (SENDS.has(call.picks.endpoint) && !destination?.enabled) return UNDONE;
  const chosen = (json.project_ids ?? []) as string[];
  if (chosen.some((id) => !(id in here.projects) && !destination?.projects?.includes(id)))
    return [400, 'validation_error/field_invalid'];
  if (call.picks.endpoint === 'createSharedIssue') {
    const [project] = (json.finding_ids as string[]).map((id) => here.findings[id]);
    const inIt = project && (reach ? reach[project] : role);
    if (!inIt || RANK.indexOf(inIt) < RANK.indexOf('member')) return NOT_FOUND;
  }
  if (NAMES_NOTHING.has(call.picks.endpoint)) return [400, 'validation_error/field_invalid'];
  if (json.shared === true && role === 'viewer') return DENIED;
  if (path.views) {
    const view = here.views[path.views];
    if (!view || (view.owner !== own && !view.shared)) return NOT_FOUND;
    if (view.owner !== own && role !== 'admin' && role !== 'owner') return DENIED;
  }
  // With a token of somebody else, the user of the cookie may be no member.
  const { assignee_id: assignee } = (json.actions ?? {}) as { assignee_id?: string };
  if (assignee && !here.members[assignee]) return [400, 'validation_error/field_invalid'];
  if (path.rules && !(path.rules in here.rules)) return NOT_FOUND;
  if (call.picks.endpoint === 'orderRules') {
    const ids = json.ids as string[];
    if (ids.length !== Object.keys(here.rules).length) return UNDONE;
  }
  const { project_id: ruled = [] } = (json.conditions ?? {}) as { project_id?: string[] };
  if (ruled.some((id) => !(id in here.projects))) return [400, 'validation_error/field_invalid'];
  if (path.scans && !(path.scans in here.scans)) return NOT_FOUND;
  const against = /against=([\w-]+)/.exec(call.path)?.[1];
  if (against && path.scans && here.scans[against] !== here.scans[path.scans])
    return [400, 'validation_error/invalid_request'];
  if (path.tokens) {
    const named = here.tokens[path.tokens];
    if (!named) return NOT_FOUND;
    if (path.projects && named.project !== path.projects) return reach ? NOT_FOUND : SCOPE;
  } else if (path.projects) {
    const isThere = path.projects in here.projects || Object.values(here.projects).includes(path.projects);
    if (!isThere) return NOT_FOUND;
  }
  if (call.picks.endpoint === 'createProjectToken' && role === 'viewer' && call.door.app === 'strict')
    return DENIED;
  if (json.tokens_on_role_loss !== undefined && role !== 'owner') return DENIED;
  if (OFFERS.has(call.picks.endpoint) && !here.members[own]?.offered) return UNDONE;
  // The model starts no transfer.
  if (TRANSFERS.has(call.picks.endpoint)) return NOT_FOUND;
  if (path.members && path.members !== own) {
    const other = here.members[path.members];
    if (!other) return NOT_FOUND;
    if (reach && call.picks.endpoint === 'setProjectMember' && !isSeen(here, path.members, reach))
      return NOT_FOUND;
    const changes = !KEEPS_ROLE.has(call.picks.endpoint);
    if (changes && other.role === 'owner' && role !== 'owner') return DENIED;
  }
  const isAssigned = `${path.projects} ${path.members}` in here.assigned;
  if (NEEDS_ASSIGNMENT.has(call.picks.endpoint) && !isAssigned) return NOT_FOUND;
  if (json.role === 'owner' && role !== 'owner') return DENIED;
  const removesSelf = call.picks.endpoint === 'removeMember' && path.members === own;
  const from = here.members[path.members ?? own]?.role;
  const withdraws = call.picks.endpoint === 'updateMember' && here.members[path.members ?? own]?.offered;
  if (!removesSelf && (withdraws || changesControl(call, from)) && !isFresh(admitted, facts)) return STEP_UP;
  if (path['org-features'] && !(path['org-features'] in here.flags))
    return [403, 'permission_error/feature_not_provisioned'];
  if (call.picks.endpoint === 'createToken' && !here.flags.org_wide_tokens)
    return [403, 'permission_error/feature_disabled'];
  if (token && admitted.kind === 'agent') {
    // Each finding of a batch fails on its own.
    if (call.picks.endpoint === 'pushFindings') return undefined;
    const project = projectOf(call, here) ?? '';
    if (token.project !== null && token.project !== project) return SCOPE;
    if (!(project in here.projects)) return NOT_FOUND;
    if (call.picks.endpoint === 'pushFinding') {
      const scanProject = here.scans[String(json.scan_id)];
      if (!scanProject) return NOT_FOUND;
      if (scanProject !== project) return [400, 'validation_error/field_invalid'];
    }
  }
  return undefined;
}

/** Answers where the model has no provider, and no link of a mail. */
const WITHOUT_SECRET: Record<string, Refusal> = {
  unsubscribe: [400, 'validation_error/invalid_request'],
  unsubscribePage: [400, 'validation_error/invalid_request'],
  startSso: NOT_FOUND,
  ssoCallback: [401, 'auth_error/invalid_credentials'],
  backchannelLogout: [400, 'validation_error/invalid_body'],
  connectIdentity: NOT_FOUND,
};

/** Calls that name no issuer, domain or issue tracker: tests/sso and tests/integrations have some. */
const NAMES_NOTHING = new Set([
  ...['createConnection', 'createOrgDomain', 'createCiTrust', 'createIssue', 'createSharedIssue'],
]);

/** Whether a member reaches one of some projects. */
export const isSeen = ({ assigned, members }: OrgFacts, user: string, reach: Record<string, Role>): boolean =>
  !members[user]?.limited || Object.keys(reach).some((project) => `${project} ${user}` in assigned);

/** Calls that name a member, and leave the role in the organization alone. */
const KEEPS_ROLE = new Set<EndpointName>([
  ...(['resendInvitation', 'listMemberProjects'] as const),
  ...(['getProjectMember', 'setProjectMember', 'removeProjectMember'] as const),
]);
const NEEDS_ASSIGNMENT = new Set<EndpointName>(['getProjectMember', 'removeProjectMember']);

/** Answers of an admin whom an owner asks to become one. */
const OFFERS = new Set(['acceptOwnership', 'declineOwnership']);

const CONTROLLING = new Set<unknown>(['owner', 'admin']);

/** Whether a call gives or takes the role of an owner or admin. */
function changesControl(call: Call, from: Role | undefined): boolean {
  const to = call.body?.json.role;
  switch (call.picks.endpoint) {
    case 'inviteMember':
      return CONTROLLING.has(to);
    case 'updateMember':
      return from !== to && (CONTROLLING.has(from) || CONTROLLING.has(to));
    case 'removeMember':
    case 'leaveOrg':
      return CONTROLLING.has(from);
    default:
      return false;
  }
}

/** The roles that change an organization outside of its own address. */
const ORG_ROLES: Record<string, Role> = { updateOrg: 'admin', deleteOrg: 'owner', restoreOrg: 'owner' };

/** Why a member of an organization cannot change it. */
function ownsNot(call: Call, facts: Facts, user: string): Refusal | undefined {
  const { endpoint } = call.picks;
  const least = ORG_ROLES[endpoint];
  const org = ORGS.find((name) => call.named.some(([word, value]) => word === 'orgs' && value === name));
  if (!least || !org) return undefined;
  const { role, limited: isLimited } = membershipOf(call, facts, org, user) ?? {};
  if (!role || isLimited || RANK.indexOf(role) < RANK.indexOf(least)) return DENIED;
  if (facts.orgs[org].flags.require_mfa && !facts.users[user]?.mfa)
    return [403, 'permission_error/mfa_required_by_org'];
  if (endpoint === 'deleteOrg') return [400, 'validation_error/field_invalid'];
  return endpoint === 'restoreOrg' ? UNDONE : undefined;
}

/** The organization that a member changes by its slug. Calls that come too late, such as a second restoration, are admitted. */
export function orgBySlug(call: Call, facts: Facts, { kind, user }: Admitted): OrgName | undefined {
  if (kind !== 'user' || !ORG_ROLES[call.picks.endpoint]) return undefined;
  const refused = ownsNot(call, facts, idOf('user', user ?? ''));
  if (refused && refused !== UNDONE) return undefined;
  return ORGS.find((name) => call.named.some(([word, value]) => word === 'orgs' && value === name));
}

/** Whether an account that is to verify its primary address asks for a link to another. */
const verifiesOther = (call: Call, facts: Facts, user: string): boolean =>
  call.picks.endpoint === 'sendVerification' &&
  call.door.app === 'strict' &&
  !isVerified(user, facts) &&
  call.named.some(([, value]) => !facts.emails[value]?.primary);

/** Whether a profile call names what is not the user's. */
function namesForeign(call: Call, facts: Facts, user: string): boolean {
  const device = call.picks.endpoint === 'sendStepUpOtp' && call.body?.json.device_id;
  if (device) return facts.devices[String(device)]?.user !== user;
  return call.named.some(([word, value]) => {
    if (word === 'orgs') return !ORGS.some((org) => org === value && membershipOf(call, facts, org, user));
    // The world has none.
    if (word === 'identities') return true;
    if (word === 'emails') return facts.emails[value]?.user !== user;
    if (word === 'devices' || word === 'passkeys') return facts.devices[value]?.user !== user;
    if (word === 'totp') return facts.devices[value]?.user !== user || facts.devices[value]?.type !== 'totp';
    if (word === 'tokens') return facts.personal[value]?.user !== user;
    if (word === 'sessions') return facts.sessions[value]?.user !== user || !facts.sessions[value]?.live;
    throw TOO_HARD(`whose /${word}/ are`);
  });
}

/** The model's expectation of a call. */
export function verdict(call: Call, facts: Facts): { admitted: Admitted; reason: Refusal | undefined } {
  const outcome = guard(call, facts);
  if (Array.isArray(outcome)) return { admitted: { kind: 'nobody' }, reason: outcome };
  return { admitted: outcome, reason: refusal(call, facts, outcome) };
}
