import type { Call } from './call.ts';
import { type Admitted, membershipOf } from './guard.ts';
import { CREATOR, type Facts, idOf, marksIn, nameOf, ORGS, orgOf, PROJECTS, userOf } from './world.ts';

const READS_AUDIT_LOG = new Set<string>(['listAudit', 'exportAuditCsv', 'exportAuditJsonl']);

export const markOfEmail = (email: string) => email.slice(0, email.indexOf('@'));

/** Which marks an answer may show. */
export function view(call: Call, { kind, user, org, reach, token }: Admitted, before: Facts, after: Facts) {
  const below = (root: string) => (mark: string) => mark === root || mark.startsWith(`${root}.`);
  const seen: ((mark: string) => boolean)[] = [];
  const emailsOf = (facts: Facts, id: string) =>
    Object.values(facts.emails).filter((email) => email.user === id);
  const { claim } = call.body ?? {};
  // A registration answers with the address that it was asked for.
  const registered =
    call.picks.endpoint === 'register' ? markOfEmail(String(call.body?.json.email)) : undefined;
  seen.push((mark) => mark === registered);
  const self = kind === 'user' ? user : claim?.proven && !claim.mixed ? claim.about : undefined;
  if (self) {
    const id = idOf('user', self);
    seen.push(below(`secret.${self}`));
    for (const facts of [before, after]) {
      const own = emailsOf(facts, id).map(({ email }) => markOfEmail(email));
      const orgs = ORGS.filter((name) => membershipOf(call, facts, name, id)).map((name) => `secret.${name}`);
      seen.push((mark) => own.includes(mark) || (kind === 'user' && orgs.includes(mark)));
    }
  }
  if (call.picks.endpoint === 'exportMe' && kind === 'user') {
    // The records of organizations that let the user in.
    const id = idOf('user', user ?? '');
    const isOpen = (name: (typeof ORGS)[number]) =>
      membershipOf(call, before, name, id) && (before.users[id]?.mfa || !before.orgs[name].flags.require_mfa);
    const roots = ORGS.filter(isOpen).map((name) => below(`secret.${name}`));
    seen.push((mark) => roots.some((isBelow) => isBelow(mark)));
    // The organizations of memberships, also of pending ones, and those that the user has created, also after leaving them.
    const named = ORGS.filter((name) => user === CREATOR || id in before.orgs[name].members);
    seen.push((mark) => named.some((name) => mark === `secret.${name}`));
  }
  if (call.picks.endpoint === 'listPersonalTokens' && kind === 'user') {
    // The id of the organization that a token is limited to, also after leaving it.
    const own = Object.values(before.personal).filter((one) => one.user === idOf('user', user ?? ''));
    seen.push((mark) => own.some((one) => one.org !== null && mark === `secret.${orgOf(one.org)}`));
  }
  if (org && token && kind === 'agent') {
    const project = token.project && nameOf('project', PROJECTS, token.project);
    seen.push(below(project ? `secret.${org}.${project}` : `secret.${org}`));
  } else if (org) {
    const root = `secret.${org}`;
    const projects = Object.keys(reach ?? {}).map((id) => nameOf('project', PROJECTS, id));
    // Texts of members have the mark of the organization. The names of rules are in the activity of findings.
    const parts = [
      ...projects.map((project) => below(`${root}.${project}`)),
      ...['tokens', 'private', 'shared', 'scans'].map((part) => below(`${root}.${part}`)),
      (mark: string) => mark === root,
    ];
    seen.push(reach ? (mark) => parts.some((sees) => sees(mark)) : below(root));
    // The author of a comment is named also after leaving.
    const authors = Object.values(before.orgs[org].comments).map(
      ({ author }) => `secret.${userOf(author)}.name`,
    );
    seen.push((mark) => call.picks.endpoint === 'getActivity' && authors.includes(mark));
    // Callers are named in the audit log also after leaving. Its entries are compared when they are written.
    const logged = [before, after].flatMap(({ orgs }) => Object.values(orgs[org].logged));
    const inLog = marksIn(logged.join('\n'));
    seen.push((mark) => READS_AUDIT_LOG.has(call.picks.endpoint) && inLog.includes(mark));
    for (const facts of [before, after])
      for (const [id, membership] of Object.entries(facts.orgs[org].members)) {
        const { invited, confirmed, unseen } = membership;
        const primary = emailsOf(facts, id).find((email) => email.primary)?.email ?? '';
        const isNamed =
          id === idOf('user', user ?? '') ||
          invited === null ||
          (confirmed && !unseen) ||
          (call.door.app !== 'strict' && invited === primary);
        const shown = [markOfEmail(invited ?? primary), ...(isNamed ? [`secret.${userOf(id)}.name`] : [])];
        seen.push((mark) => shown.includes(mark));
      }
  }
  return (mark: string) => seen.some((sees) => sees(mark));
}
