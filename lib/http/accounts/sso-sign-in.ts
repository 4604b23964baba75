import { and, eq, isNull } from 'drizzle-orm';
import type { Tx } from '../../../db/client.ts';
import { isUniqueViolation } from '../../../db/errors.ts';
import { inOneTransaction } from '../../../db/nested.ts';
import { readDeletion } from '../../../db/orgs/deletion.ts';
import { users } from '../../../db/schema/accounts.ts';
import { verifiedDevices } from '../../accounts/mfa/devices.ts';
import { startMfaLogin } from '../../accounts/mfa/logins.ts';
import { accountChanged } from '../../mail/templates/changes.ts';
import { orgUrl } from '../../members/invitations.ts';
import type { Org } from '../../orgs/directory.ts';
import { readOrgName } from '../../orgs/notices.ts';
import { lockOrgTables } from '../../quotas.ts';
import { DISABLED, knownAccount, newAccount, noteUse, type SsoAccount } from '../../sso/accounts.ts';
import { exactText, roleOf, usedMfa, vouchesFor } from '../../sso/claims.ts';
import { findConnection } from '../../sso/connections.ts';
import type { Flow } from '../../sso/flow.ts';
import { applyRole, type Mapped } from '../../sso/membership.ts';
import { SsoRefusal } from '../../sso/refusal.ts';
import { MAX_ID_TOKEN, type SsoStart, sealLogin } from '../../sso/sessions.ts';
import { append, newValues, tokensRevoked } from '../audit.ts';
import type { CookieCall, PublicCall } from '../call.ts';
import { mailsOfRequest } from '../mails.ts';
import type { Headers } from '../respond.ts';
import { logEndedTokens, logSecurityEvent } from '../security-log.ts';
import { signIn, unlessDeleted } from './sign-in.ts';
import { type Described, flowExpired, OVERAGE } from './sso.ts';

/* A sign-in at an OpenID Connect provider, and what it changes. */

interface Admission {
  account: SsoAccount;
  /** The effect on the membership, of a connection of an organization. */
  mapped: Mapped | undefined;
}

const NO_ROLE = () =>
  new SsoRefusal(
    'no_role',
    'The provider signed you in, but none of your groups has access to this organization.',
  );

/** Ends a sign-in: finds or creates the account, gives or takes the role, and begins the session. */
export async function completeSso(
  call: PublicCall,
  visitor: CookieCall | undefined,
  flow: Flow,
  described: Described,
): Promise<SignedIn> {
  const { services } = call;
  const { authTime, connection, confirmed, person, overage } = described;
  if (overage && connection.roleMapping.length > 0) throw new SsoRefusal('groups_overage', OVERAGE);
  const org = connection.orgId === undefined ? undefined : await orgOf(call, connection.orgId);
  const admit = () => admitPerson(call, described, { org, visitor });
  // Somebody may create the account or take the address at the same moment: the second attempt sees what became of it.
  const { account, mapped } = await admit().catch((error) => {
    if (isUniqueViolation(error)) return admit();
    throw error;
  });
  services.mail.kick();
  noteRoleChange(call, account, mapped);
  // The person has lost the role: that change stays.
  if (mapped?.kind === 'removed') throw NO_ROLE();
  if (account.how !== 'known')
    logSecurityEvent(call, 'sso_linked', { account: account.id, how: account.how, issuer: person.issuer });
  const start: SsoStart = {
    identityId: account.identityId,
    connectionId: connection.id,
    issuer: confirmed.issuer,
    clientId: connection.clientId,
    sub: exactText(confirmed.idClaims.sub) ?? '',
    sid: exactText(confirmed.idClaims.sid) ?? null,
    idToken: confirmed.idToken.length > MAX_ID_TOKEN ? '' : confirmed.idToken,
    endSession: confirmed.endSession ?? null,
    mfa: connection.trustMfa && usedMfa(confirmed.idClaims),
    authTime: authTime?.toISOString() ?? null,
  };
  const location = flow.returnTo ?? (org ? orgUrl(services.config, org.slug) : '/');
  // The second factor of an account counts in every organization, and a provider stands in for it in one.
  if (account.mfaEnabled) return { location, mfa: await startSecondFactor(call, account, start) };
  const active = (tx: Tx) => requireActive(tx, account.id);
  return { location, headers: await signIn(call, account, active, { sso: start }).catch(unlessDeleted) };
}

export type SignedIn = { location: string } & (
  | { headers: Headers; mfa?: undefined }
  | { mfa: Awaited<ReturnType<typeof startSecondFactor>> }
);

/** Locks the account, which an operator may have disabled since the admission. */
async function requireActive(tx: Tx, userId: string): Promise<void> {
  const [active] = await tx
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, userId), isNull(users.disabledAt)))
    .for('no key update');
  if (!active) throw DISABLED();
}

async function startSecondFactor(call: PublicCall, account: SsoAccount, start: SsoStart) {
  const { db, now, services } = call;
  const sealed = await sealLogin(services.ssoBox, start);
  const devices = await verifiedDevices(db, account.id);
  return { token: await startMfaLogin(services, account, now, sealed).catch(unlessDeleted), devices };
}

async function orgOf({ db, services }: PublicCall, orgId: string): Promise<Org> {
  const named = await readOrgName(db, orgId);
  const org = named && (await services.orgs.named(named.slug));
  if (!org) throw new SsoRefusal('not_found', 'The organization does not exist.');
  return org;
}

/** The changes of a sign-in, in one transaction with their entry in the audit log. */
function admitPerson(
  call: PublicCall,
  { connection: asked, person, groups = [] }: Described,
  { org, visitor }: { org: Org | undefined; visitor: CookieCall | undefined },
): Promise<Admission> {
  const { now, services } = call;
  const { config, nextId, secretBox } = services;
  return inOneTransaction(
    call.sql,
    ({ db }) =>
      db.transaction(async (tx): Promise<Admission> => {
        const tables = org && (await lockOrgTables(tx, org));
        if (org && (await readDeletion(tx, org.id)))
          throw new SsoRefusal('not_found', 'The organization was deleted.');
        // As it is now: an owner may have changed it while the person was at the provider.
        const connection = await findConnection({ db: tx, config, secretBox }, asked.id);
        const isSame =
          connection?.issuer === asked.issuer && connection.clientId === asked.clientId && connection.enabled;
        if (!isSame) throw flowExpired();
        const account =
          (await knownAccount(tx, connection, person)) ??
          (await newAccount(tx, connection, person, { nextId, now }));
        // Another site may have begun the sign-in: it must not replace, unseen, the account that somebody works with.
        if (visitor && visitor.user.id !== account.id)
          throw new SsoRefusal(
            'other_account',
            'You are signed in to another account in this browser. Sign out first, then try again.',
          );
        if (account.how === 'known') await noteUse(tx, account.identityId, person.email, now);
        if (account.how === 'adopted') await mailAdopted(tx, call, account);
        if (!org || !tables) return { account, mapped: undefined };
        const mapped = await applyRole(
          tx,
          { config, actor: actorOf(call, account), org: { id: org.id, tables } },
          {
            userId: account.id,
            connectionId: connection.id,
            role: roleOf(connection, { groups, ...person }),
            isVouched: vouchesFor(connection, person),
            projectAccess: connection.projectAccess,
          },
        );
        // Nothing stays, a new account neither.
        if (mapped.kind === 'refused') throw NO_ROLE();
        return { account, mapped };
      }),
    async (client, { account, mapped }) => {
      const action = mapped && ACTIONS[mapped.kind];
      if (!org || !mapped || !action) return;
      await append(client, call, action, {
        org,
        actor: { type: 'user', id: account.id, name: account.name },
        target: { type: 'member', id: account.id, name: account.email },
        changes: {
          role: { ...(mapped.from && { from: mapped.from }), ...(mapped.to && { to: mapped.to }) },
          ...newValues({ project_access: mapped.projectAccess, connection: asked.id }),
          ...tokensRevoked(mapped.tokens),
        },
      });
    },
  );
}

/** The account has a new way to sign in, which its owner may not know. */
async function mailAdopted(tx: Tx, { now, peer, services }: PublicCall, account: SsoAccount): Promise<void> {
  const { email, name } = account;
  const content = accountChanged('sso_linked', { name, at: now, ip: peer.ip, address: email });
  await services.mail.enqueue(tx, email, content);
}

const ACTIONS = {
  kept: undefined,
  refused: undefined,
  joined: 'member.joined',
  changed: 'member.role_changed',
  removed: 'member.removed',
} as const;

/** The person causes the change of the own role, by the groups at the provider. */
const actorOf = (call: PublicCall, { id, name }: SsoAccount) => ({
  user: { id, name },
  now: call.now,
  writeMail: mailsOfRequest(call),
});

function noteRoleChange(call: PublicCall, { id: member }: SsoAccount, mapped: Mapped | undefined): void {
  if (!mapped || mapped.kind === 'kept') return;
  const { from, to } = mapped;
  logSecurityEvent(call, mapped.kind === 'removed' ? 'member_removed' : 'role_changed', { member, from, to });
  logEndedTokens(call, member, mapped.tokens);
}
