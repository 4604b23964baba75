import { generateCookie, getCookie } from 'hono/cookie';
import { isUniqueViolation } from '../../../db/errors.ts';
import { inOneTransaction } from '../../../db/nested.ts';
import { readDeletion } from '../../../db/orgs/deletion.ts';
import type { Role } from '../../../db/schema/orgs.ts';
import { verifiedDevices } from '../../accounts/mfa/devices.ts';
import { startMfaLogin } from '../../accounts/mfa/logins.ts';
import { spendChallenge } from '../../accounts/passkeys/challenges.ts';
import { orgUrl } from '../../members/invitations.ts';
import type { Org } from '../../orgs/directory.ts';
import { readOrgName } from '../../orgs/notices.ts';
import { lockOrgTables } from '../../quotas.ts';
import { knownAccount, newAccount, noteUse, type Person, type SsoAccount } from '../../sso/accounts.ts';
import {
  emailOf,
  emailVerifiedOf,
  groupsOf,
  hasOverage,
  isProven,
  nameOf,
  roleOf,
  subjectOf,
  usedMfa,
} from '../../sso/claims.ts';
import { addressesOf, findConnection, type SsoConnection } from '../../sso/connections.ts';
import {
  FLOW_MS,
  type Flow,
  flowCookie,
  LINK_COOKIE,
  newFlow,
  openFlow,
  sealFlow,
  sealLink,
} from '../../sso/flow.ts';
import { applyRole, type Mapped } from '../../sso/membership.ts';
import type { Confirmed } from '../../sso/provider.ts';
import { SsoRefusal } from '../../sso/refusal.ts';
import { type SsoStart, sealLogin } from '../../sso/sessions.ts';
import { append, newValues, tokensRevoked } from '../audit.ts';
import type { PublicCall } from '../call.ts';
import { mailsOfRequest } from '../mails.ts';
import { isSecure } from '../request/session-cookie.ts';
import type { Headers } from '../respond.ts';
import { logEndedTokens, logSecurityEvent } from '../security-log.ts';
import { signIn } from './sign-in.ts';

/* Sign-in at OpenID Connect providers: its cookies, its steps, and what it changes. */

/** Sets or clears a cookie of a sign-in, which subdomains may begin and the base domain ends. */
export function setSsoCookie(call: PublicCall, name: string, value: string, maxAge: number): void {
  const request = call.c.get('request');
  const { baseDomain } = call.services.config;
  const cookie = generateCookie(name, value, {
    path: '/api/v1/auth/sso',
    httpOnly: true,
    // The provider sends the browser back from another site.
    sameSite: 'Lax',
    maxAge,
    ...(isSecure(call) && { secure: true }),
    ...(baseDomain && { domain: `.${baseDomain}` }),
  });
  request.cookies = [...(request.cookies ?? []), cookie];
}

/** Begins a sign-in. @returns the address of the provider's page */
export async function beginSso(
  call: PublicCall,
  connection: SsoConnection,
  options: Pick<Flow, 'returnTo' | 'isTest'> = {},
): Promise<string> {
  const { now, services } = call;
  const flow = newFlow(now, { connectionId: connection.id, ...options });
  const { redirect_uri: redirectUri } = addressesOf(services.config);
  const url = await services.sso.authorizationUrl(connection, flow, redirectUri);
  setSsoCookie(call, flowCookie(flow.state), await sealFlow(services.ssoBox, flow), FLOW_MS / 1000);
  return url;
}

/** The parameters of a callback. */
export type CallbackQuery = { state?: string | undefined };

const EXPIRED = () =>
  new SsoRefusal(
    'expired',
    'The sign-in took too long, was used already, or was started in another browser. Try again.',
  );

/** The sign-in that a callback belongs to. @throws SsoRefusal if this browser did not start it */
export async function flowOf(call: PublicCall, state: string | undefined): Promise<Flow> {
  const { c, now, services } = call;
  if (!state) throw EXPIRED();
  const name = flowCookie(state);
  const cookie = getCookie(c, name);
  const flow = cookie === undefined ? undefined : await openFlow(services.ssoBox, cookie, state, now);
  if (!flow) throw EXPIRED();
  return flow;
}

/** A person as a provider describes them, with the connection. */
export interface Described {
  connection: SsoConnection;
  confirmed: Confirmed;
  person: Person;
  groups: string[] | undefined;
  overage: boolean;
}

/** Exchanges the code of a callback. */
export async function describePerson(call: PublicCall, flow: Flow): Promise<Described> {
  const { c, db, services } = call;
  const { config, secretBox } = services;
  const connection = await findConnection({ db, config, secretBox }, flow.connectionId);
  if (!connection || !(connection.enabled || flow.isTest))
    throw new SsoRefusal('not_found', 'The connection does not exist, or is switched off.');
  const callback = new URL(addressesOf(config).redirect_uri);
  callback.search = new URL(c.req.url).search;
  const confirmed = await services.sso.exchange(connection, flow, callback);
  const { claims } = confirmed;
  const email = emailOf(claims, connection.claims);
  const groups = groupsOf(claims, connection.claims);
  return {
    connection,
    confirmed,
    groups,
    overage: groups === undefined && hasOverage(claims, connection.claims),
    person: {
      issuer: confirmed.issuer,
      subject: subjectOf(confirmed.issuer, claims),
      email,
      emailVerified: emailVerifiedOf(claims),
      name: nameOf(claims, connection.claims, email ?? String(claims.sub)),
    },
  };
}

const OVERAGE =
  'The provider left out the groups, because the person is in more than 200. Map app roles instead (claim roles), or limit the groups to those of the application.';

/** The result of a test. */
export function testResult({ connection, confirmed, person, groups, overage }: Described) {
  const { email, emailVerified } = person;
  const role = overage ? undefined : roleOf(connection, { groups: groups ?? [], email, emailVerified });
  const proven = isProven(connection, email, emailVerified);
  const mapsGroups = connection.roleMapping.length > 0;
  const warnings = [
    email === undefined && `The claim ${connection.claims.email} has no e-mail address: nobody can sign in.`,
    overage && OVERAGE,
    mapsGroups && groups === undefined && !overage && `The claim ${connection.claims.groups} is missing.`,
    emailVerified === false && 'The provider says that the address is not verified.',
    email !== undefined &&
      !proven &&
      'The domain of the address is not proven: existing accounts are not connected by it.',
    !role && 'No role: this person could not sign in.',
  ].filter((warning) => typeof warning === 'string');
  return {
    claims: confirmed.claims as Record<string, unknown>,
    subject: person.subject,
    ...(email !== undefined && { email }),
    ...(emailVerified !== undefined && { email_verified: emailVerified }),
    domain_proven: proven,
    name: person.name,
    groups: groups ?? [],
    ...(role && { role }),
    mfa: usedMfa(confirmed.idClaims),
    warnings,
  };
}

interface Admitted {
  account: SsoAccount;
  mapped: Mapped | undefined;
  /** The person has lost the role: the change stays, and the sign-in ends. */
  refusal: SsoRefusal | undefined;
}

const NO_ROLE = () =>
  new SsoRefusal(
    'no_role',
    'The provider signed you in, but none of your groups has access to this organization.',
  );

/** Ends a sign-in: finds or creates the account, gives or takes the role, and begins the session. */
export async function completeSso(call: PublicCall, flow: Flow, described: Described): Promise<SignedIn> {
  const { services } = call;
  const { connection, confirmed, person, overage } = described;
  if (overage && connection.roleMapping.length > 0) throw new SsoRefusal('groups_overage', OVERAGE);
  const org = connection.orgId === undefined ? undefined : await orgOf(call, connection.orgId);
  const admit = () => admitPerson(call, flow, described, org);
  // Somebody may create the account or take the address at the same moment: the second attempt sees what became of it.
  const { account, mapped, refusal } = await admit().catch(async (error) => {
    if (isUniqueViolation(error)) return admit();
    if (error instanceof SsoRefusal && error.reason === 'link') await offerLink(call, person);
    throw error;
  });
  services.mail.kick();
  noteRoleChange(call, account, mapped);
  if (refusal) throw refusal;
  if (account.how !== 'known')
    logSecurityEvent(call, 'sso_linked', { account: account.id, how: account.how, issuer: person.issuer });
  const start: SsoStart = {
    identityId: account.identityId,
    connectionId: connection.id,
    issuer: confirmed.issuer,
    clientId: connection.clientId,
    sub: String(confirmed.idClaims.sub),
    sid: typeof confirmed.idClaims.sid === 'string' ? confirmed.idClaims.sid.slice(0, 255) : null,
    idToken: confirmed.idToken,
    endSession: confirmed.endSession ?? null,
    mfa: connection.trustMfa && usedMfa(confirmed.idClaims),
  };
  const location = flow.returnTo ?? (org ? orgUrl(services.config, org.slug) : '/');
  // The second factor of an account with a password is the account's own: a provider does not stand in for it elsewhere.
  if (account.mfaEnabled && !(start.mfa && account.passwordHash === null && account.how === 'known'))
    return { location, mfa: await startSecondFactor(call, account, start) };
  return { location, headers: await signIn(call, account, undefined, { sso: start }) };
}

export type SignedIn = { location: string } & (
  | { headers: Headers; mfa?: undefined }
  | { mfa: Awaited<ReturnType<typeof startSecondFactor>> }
);

async function startSecondFactor(call: PublicCall, account: SsoAccount, start: SsoStart) {
  const { db, now, services } = call;
  const sealed = await sealLogin(services.ssoBox, start);
  const devices = await verifiedDevices(db, account.id);
  return { token: await startMfaLogin(services, account, now, sealed), devices };
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
  flow: Flow,
  { connection, person, groups = [] }: Described,
  org: Org | undefined,
): Promise<Admitted> {
  const { now, services } = call;
  const { nextId } = services;
  return inOneTransaction(
    call.sql,
    ({ db }) =>
      db.transaction(async (tx): Promise<Admitted> => {
        // Each state works once, so a callback that is sent twice signs in once.
        if (!(await spendChallenge(tx, { text: `sso ${flow.state}`, expiresAt: new Date(flow.expiresAt) })))
          throw EXPIRED();
        const tables = org && (await lockOrgTables(tx, org));
        if (org && (await readDeletion(tx, org.id)))
          throw new SsoRefusal('not_found', 'The organization was deleted.');
        const account =
          (await knownAccount(tx, person)) ?? (await newAccount(tx, connection, person, { nextId, now }));
        if (account.how === 'known') await noteUse(tx, account.identityId, person.email, now);
        if (!org || !tables) return { account, mapped: undefined, refusal: undefined };
        const mapped = await applyRole(
          tx,
          {
            config: services.config,
            actor: actorOf(call, account),
            org: { id: org.id, tables },
          },
          {
            userId: account.id,
            connectionId: connection.id,
            role: roleOf(connection, { groups, ...person }),
          },
        );
        if (mapped.isMember) return { account, mapped, refusal: undefined };
        // Without a change there is nothing to keep, a new account neither.
        if (mapped.kind === 'kept') throw NO_ROLE();
        return { account, mapped, refusal: NO_ROLE() };
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
          ...newValues({ connection: connection.id }),
          ...tokensRevoked(mapped.tokens),
        },
      });
    },
  );
}

const ACTIONS = {
  kept: undefined,
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
  const { from, to } = mapped as { from?: Role; to?: Role };
  logSecurityEvent(call, mapped.kind === 'removed' ? 'member_removed' : 'role_changed', { member, from, to });
  logEndedTokens(call, member, mapped.tokens);
}

/** Lets the owner of the account with the address connect it, in this browser. */
async function offerLink(call: PublicCall, { issuer, subject, email = '' }: Person): Promise<void> {
  const { now, services } = call;
  const sealed = await sealLink(services.ssoBox, now, { issuer, subject, email });
  setSsoCookie(call, LINK_COOKIE, sealed, FLOW_MS / 1000);
}

/** Whether a browser asks for a page. Scripts get JSON. */
export const asksForPage = ({ c }: PublicCall): boolean =>
  (c.req.header('accept') ?? '').includes('text/html');

/** @throws SsoRefusal; a browser is sent to the sign-in page instead, which says why */
export async function orExplain<T>(
  call: PublicCall,
  details: () => Record<string, string>,
  run: () => Promise<T>,
): Promise<T | { status: 302; headers: Headers }> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof SsoRefusal)) throw error;
    logSecurityEvent(call, 'sign_in_failed', { reason: `sso: ${error.reason}`, detail: error.message });
    if (!asksForPage(call)) throw error;
    const query = new URLSearchParams({ sso_error: error.reason, ...details() });
    return { status: 302 as const, headers: { location: `/login?${query}` } };
  }
}
