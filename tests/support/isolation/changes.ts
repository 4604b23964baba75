import { isEmptySchema } from '../../../db/schema/org-schema.ts';
import type { Role } from '../../../db/schema/orgs.ts';
import { isEntry } from '../../../lib/events/types.ts';
import type { Answered } from './answers.ts';
import type { Call } from './call.ts';
import { type Admitted, orgBySlug, RANK, verdict } from './guard.ts';
import { CROSSED, claimsOf } from './picks.ts';
import { markOfEmail, view } from './view.ts';
import {
  type Change,
  type Facts,
  idOf,
  marksIn,
  nameOf,
  ORGS,
  type OrgName,
  orgOf,
  PROJECTS,
  schemaOf,
  type UserName,
  userOf,
} from './world.ts';

/** The changes that none of the answered calls may have written. */
export function changeFaults(
  answered: readonly Answered[],
  changes: readonly Change[],
  before: Facts,
  after: Facts,
): string[] {
  return changes.flatMap((change) => {
    const faults = answered.map((one) => changeFault(one, change, before, after));
    return faults.includes(undefined) ? [] : (faults.slice(0, 1) as string[]);
  });
}

function changeFault(
  { call, answer }: Answered,
  change: Change,
  before: Facts,
  after: Facts,
): string | undefined {
  const { admitted, reason } = verdict(call, before);
  const { org, token } = admitted;
  const by = ownerOf(change, before, after);
  const project = by.project && nameOf('project', PROJECTS, by.project);
  // Whatever is in these is shown to others.
  if (isEmptySchema({ schemaName: change.schema }))
    return `wrote ${change.op} ${change.table} to the tables that organizations share`;
  const wrote = `wrote ${change.op} ${change.table} of ${by.org ?? by.user ?? 'somebody'}${project ? `, project ${project}` : ''}`;
  if (change.op === 'TOUCH') {
    const { id } = change.row;
    if (change.table === 'memberships') return isOwnMembership(admitted, change) ? undefined : wrote;
    // A live session is in use also where it is refused.
    const isOwn = admitted.personal
      ? id === admitted.personal
      : token
        ? id === token.id && by.org === org
        : id === claimsOf(call.picks.cookie)?.session && by.user === call.own;
    return isOwn ? undefined : wrote;
  }
  if (change.table === 'memberships' && isNoted(call, admitted, change, before, after)) return undefined;
  if (isCreation(change, by, before, after))
    return (admitted.org ?? orgBySlug(call, before, admitted)) === by.org && call.endpoint.method !== 'GET'
      ? undefined
      : wrote;
  // Exports and refused calls are recorded, too: by a member or token, in the organization that the call names.
  if (AUDIT_LOG.has(change.table) || isEventOfEntry(change))
    return recordFault(call, change, by, wrote, before, after);
  if (EVENTS.has(change.table)) return isEventOf(call, admitted, change, by) ? undefined : wrote;
  const importsReport = IMPORTS.has(call.picks.endpoint);
  // The scan of a report that cannot be imported is removed, or has failed.
  if (reason || (answer.status >= 400 && !importsReport) || call.endpoint.method === 'GET') return wrote;
  if (change.table === 'report_imports') return importsReport && by.org === org ? undefined : wrote;
  if (change.table === 'sessions' && isReplaced(call, change)) return undefined;
  if (change.table === 'mailed_tokens' && isInvited(call, change, before, after)) return undefined;
  if (change.table === 'outgoing_mails')
    return mailFault(call, admitted, change, view(call, admitted, before, after), before, after);
  // Mails are counted by the hash of their address.
  if (change.table === 'rate_limits')
    return marksIn(JSON.stringify(change.row)).length > 0 ? wrote : undefined;
  if (!isOwn(call, admitted, by) && !isOwnAssignment(admitted, change)) return wrote;
  if (!by.org || by.org === 'new' || change.schema === 'shared') return undefined;
  const foreign = marksIn(JSON.stringify(change.row)).find((mark) => !mark.startsWith(`secret.${by.org}`));
  return foreign && `${wrote}: ${foreign}`;
}

const EVENTS = new Set(['events', 'event_positions', 'deliveries']);

/** Whether the change is an event of the organization that the call changes. The service numbers events in the background. */
const isEventOf = ({ endpoint }: Call, { org }: Admitted, { op, table }: Change, by: Owner): boolean =>
  table !== 'events' || op === 'UPDATE' || (org === by.org && endpoint.method !== 'GET');

const IMPORTS = new Set(['sendReport', 'uploadReport']);

/** Whether the change is of the creation of the organization's tables, which every write does that is admitted, also one that fails. */
function isCreation({ schema, table, op, row }: Change, by: Owner, before: Facts, after: Facts): boolean {
  const { org } = by;
  if (!org || org === 'new' || before.orgs[org].hasTables || !after.orgs[org].hasTables) return false;
  if (schema !== 'shared') return table === 'policy_versions' && op === 'INSERT' && row.version === 1;
  return table === 'org_migrations' ? op === 'INSERT' : table === 'orgs' && op === 'UPDATE';
}

/** Whether the change notes but a member's first visit, or that the owner of a link has verified the invited address. */
function isNoted(call: Call, admitted: Admitted, change: Change, before: Facts, after: Facts): boolean {
  const { op, row } = change;
  const org = orgOf(String(row.org_id));
  if (!org) return false;
  const id = String(row.user_id);
  const about = call.body?.claim?.about;
  const byLink = ['verifyEmail', 'resetPassword'].includes(call.picks.endpoint);
  // Resetting an unverified account removes the invitations to its other addresses.
  if (byLink && about !== undefined && id === idOf('user', about)) return true;
  const [was, is] = [before, after].map((facts) => facts.orgs[org].members[id]?.role);
  return op === 'UPDATE' && isOwnMembership(admitted, change) && was === is;
}

const isOwnMembership = ({ kind, org, user }: Admitted, { row }: Change): boolean =>
  kind === 'member' && org === orgOf(String(row.org_id)) && row.user_id === idOf('user', user ?? '');

/** Whether a sign-in in strict mode ends the session whose cookie it came with. */
const isReplaced = (call: Call, { op, row }: Change): boolean =>
  op === 'UPDATE' &&
  call.door.app === 'strict' &&
  ['register', 'login', 'validateMfa'].includes(call.picks.endpoint) &&
  row.id === claimsOf(call.picks.cookie)?.session;

/** Whether the link is for a person that an organization has just invited. */
function isInvited(call: Call, { row }: Change, before: Facts, after: Facts): boolean {
  const id = String(row.email_id);
  const email = before.emails[id] ?? after.emails[id];
  if (!email || email.verified || row.purpose !== 'reset_password') return false;
  if (call.picks.endpoint === 'inviteMember') return email.email === call.body?.json.email;
  return (
    call.picks.endpoint === 'resendInvitation' &&
    call.named.some(([word, value]) => word === 'members' && value === email.user)
  );
}

interface Owner {
  org?: OrgName | 'new' | undefined;
  user?: UserName | 'new' | undefined;
  project?: string | undefined;
}

/** The owner of a row. */
function ownerOf({ schema, table, row }: Change, before: Facts, after: Facts): Owner {
  const text = (key: string) => (typeof row[key] === 'string' ? (row[key] as string) : undefined);
  if (schema !== 'shared') {
    const org = ORGS.find((name) => schema === schemaOf(name));
    if (!org) return { org: 'new' };
    // An event is about a scan, or about findings of one change.
    const [first] = (table === 'events' && (row.finding_ids as string[] | null)) || [];
    const finding = text('finding_id') ?? first;
    const scan = table === 'events' ? text('subject') : undefined;
    const project =
      text('project_id') ??
      (finding && (before.orgs[org].findings[finding] ?? after.orgs[org].findings[finding])) ??
      (scan && (before.orgs[org].scans[scan] ?? after.orgs[org].scans[scan]));
    return { org, project };
  }
  // A token that is limited to an organization is its owner's all the same.
  const orgId = table === 'orgs' ? text('id') : table === 'personal_tokens' ? undefined : text('org_id');
  if (orgId) return { org: orgOf(orgId) ?? 'new' };
  const device = text('device_id');
  const userId =
    table === 'users'
      ? text('id')
      : (text('user_id') ?? (device && (before.devices[device] ?? after.devices[device])?.user));
  return userId ? { user: userOf(userId) ?? 'new' } : {};
}

const AUDIT_LOG = new Set(['audit_entries', 'audit_names', 'audit_head']);

/** Whether the change is the event that each new entry of the audit log has. */
const isEventOfEntry = ({ op, row, table }: Change): boolean =>
  table === 'events' && op === 'INSERT' && isEntry(String(row.type));

/** Calls by mailed links name no organization. */
const LINKED = new Set<string>(['declineInvitation', 'undoOrgChange']);

function recordFault(
  call: Call,
  { op, row, table }: Change,
  by: Owner,
  wrote: string,
  before: Facts,
  after: Facts,
): string | undefined {
  const { audit, access } = call.endpoint;
  const isPrivileged = access.kind === 'cookieOrg' && ['admin', 'owner'].includes(access.role);
  const isAudited = audit !== undefined && (typeof audit === 'string' || 'file' in audit);
  if (!isAudited && !isPrivileged) return wrote;
  if (table !== 'audit_head' && op !== 'INSERT') return wrote;
  const named = new Set<unknown>([
    call.org,
    ...call.named.map(([word, value]) => (word === 'orgs' ? value : undefined)),
  ]);
  if (!LINKED.has(call.picks.endpoint) && !named.has(by.org)) return wrote;
  const { org } = by;
  if (!org || org === 'new') return undefined;
  const people = [call.own, call.body?.claim?.about];
  // Changes hold no personal data. Names are of the caller, and of members.
  if (table === 'audit_names')
    for (const facts of [before, after]) people.push(...Object.keys(facts.orgs[org].members).map(userOf));
  const roots = [org, ...(table === 'audit_names' ? people : [])].map((root) => `secret.${root}`);
  const foreign = marksIn(JSON.stringify(row)).find(
    (mark) => !roots.some((root) => mark === root || mark.startsWith(`${root}.`)),
  );
  return foreign && `${wrote}: ${foreign}`;
}

const MAKES_NEW: Record<string, (keyof Owner)[]> = {
  register: ['org', 'user'],
  createOrg: ['org'],
  inviteMember: ['user'],
  // An invited newcomer may be one who uses them.
  login: ['user'],
  forgotPassword: ['user'],
};

const mayChange = ({ endpoint: { access } }: Call, role: Role | undefined): boolean =>
  role !== undefined && access.kind === 'cookieOrg' && RANK.indexOf(role) >= RANK.indexOf(access.role);

/** Whether the change is of the assignments of the caller, who leaves. */
const isOwnAssignment = ({ kind, org, user }: Admitted, { row, schema, table }: Change): boolean =>
  kind === 'member' &&
  table === 'project_members' &&
  org !== undefined &&
  schema === schemaOf(org) &&
  row.user_id === idOf('user', user ?? '');

function isOwn(call: Call, { kind, user, org, reach, token }: Admitted, by: Owner): boolean {
  const makes = MAKES_NEW[call.picks.endpoint] ?? [];
  if (by.org === 'new') return makes.includes('org');
  if (by.user === 'new') return makes.includes('user');
  switch (kind) {
    case 'agent':
      return by.org === org && (token?.project == null || by.project === token.project);
    case 'script':
    case 'member':
      return by.org === org && (!reach || by.project === undefined || mayChange(call, reach[by.project]));
    case 'user':
      return by.user === user || (call.picks.endpoint === 'updateOrg' && by.org === call.picks.org);
    case 'nobody': {
      const session = call.picks.endpoint === 'logout' && call.picks.cookie === CROSSED ? 'bob' : call.own;
      const about = call.picks.endpoint === 'logout' ? session : call.body?.claim?.about;
      return by.user !== undefined && by.user === about;
    }
  }
}

/** Mails go to the user who asked for them, to the address in the request or to the owners, and tell nothing to others. */
function mailFault(
  call: Call,
  { org, user }: Admitted,
  { row }: Change,
  sees: (mark: string) => boolean,
  before: Facts,
  after: Facts,
): string | undefined {
  const recipient = String(row.recipient);
  const about = user ?? call.body?.claim?.about;
  const emails = [...Object.values(before.emails), ...Object.values(after.emails)];
  const owners = emails.filter(({ email }) => email === recipient).map((email) => userOf(email.user));
  // `updateMember` may ask the member to become an owner.
  const invited = ['resendInvitation', 'updateMember'].includes(call.picks.endpoint)
    ? userOf(call.params.members?.() ?? '')
    : undefined;
  // A personal access token is for all organizations of the user.
  const told = call.picks.endpoint === 'createPersonalToken' ? ORGS : org ? [org] : [];
  const isTold = [before, after].some((facts) =>
    told.some((name) => {
      const { members } = facts.orgs[name];
      const isMember = user === undefined || members[idOf('user', user)] !== undefined;
      return isMember && owners.some((one) => one && members[idOf('user', one)]?.role === 'owner');
    }),
  );
  const isAsked =
    isTold ||
    recipient === call.body?.json.email ||
    [about, invited].some((one) => one !== undefined && owners.includes(one));
  if (!isAsked) return `mailed ${recipient}`;
  const theirs = [markOfEmail(recipient), ...owners.map((owner) => `secret.${owner}.name`)];
  const shown = marksIn(`${row.subject} ${row.text} ${row.html}`).find(
    (mark) => !sees(mark) && !theirs.includes(mark),
  );
  return shown && `mailed ${shown} to ${recipient}`;
}
