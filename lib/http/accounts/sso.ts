import { generateCookie, getCookie } from 'hono/cookie';
import { spendChallenge } from '../../accounts/passkeys/challenges.ts';
import { ApiError } from '../../errors.ts';
import type { Person } from '../../sso/accounts.ts';
import {
  authTimeOf,
  emailOf,
  emailVerifiedOf,
  groupsOf,
  hasOverage,
  nameOf,
  roleOf,
  subjectOf,
  usedMfa,
  vouchesFor,
} from '../../sso/claims.ts';
import { addressesOf } from '../../sso/connection-fields.ts';
import { findConnection, type SsoConnection } from '../../sso/connections.ts';
import {
  FLOW_MS,
  type Flow,
  type FlowOptions,
  flowCookie,
  newFlow,
  openFlow,
  sealFlow,
} from '../../sso/flow.ts';
import type { Confirmed } from '../../sso/provider.ts';
import { SsoRefusal } from '../../sso/refusal.ts';
import type { CookieCall, PublicCall } from '../call.ts';
import { visitorOf } from '../middleware/access/session.ts';
import { isSecure } from '../request/session-cookie.ts';
import type { Headers } from '../respond.ts';
import { logSecurityEvent } from '../security-log.ts';

/* Requests to OpenID Connect providers: their cookies, their start, and what comes back. */

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

/**
 * Begins a sign-in.
 * @param isFresh the provider asks for the password again, although somebody is signed in there
 * @returns the address of the provider's page
 */
export async function beginSso(
  call: PublicCall,
  connection: SsoConnection,
  { isFresh = false, ...options }: Omit<FlowOptions, 'connectionId'> & { isFresh?: boolean | undefined },
): Promise<string> {
  const { now, services } = call;
  const flow = newFlow(now, { connectionId: connection.id, ...options });
  const { redirect_uri: redirectUri } = addressesOf(services.config);
  const url = await services.sso.authorizationUrl(connection, flow, { redirectUri, isFresh });
  setSsoCookie(call, flowCookie(flow.state), await sealFlow(services.ssoBox, flow), FLOW_MS / 1000);
  return url;
}

export const flowExpired = () =>
  new SsoRefusal(
    'expired',
    'The sign-in took too long, was used already, or was started in another browser. Try again.',
  );

/** The user who is signed in in the browser of a callback. @throws SsoRefusal if it has cookies of several sessions */
export async function visitorAt(call: PublicCall): Promise<CookieCall | undefined> {
  try {
    return await visitorOf(call);
  } catch (error) {
    throw error instanceof ApiError ? flowExpired() : error;
  }
}

/** Uses a sign-in, so that a callback which is sent twice has one effect, and asks the provider once. @throws SsoRefusal */
export async function spendFlow({ db }: PublicCall, { state, expiresAt }: Flow): Promise<void> {
  if (!(await spendChallenge(db, { text: `sso ${state}`, expiresAt: new Date(expiresAt) })))
    throw flowExpired();
}

/** The sign-in that a callback belongs to. @throws SsoRefusal if this browser did not start it */
export async function flowOf(call: PublicCall, state: string | undefined): Promise<Flow> {
  const { c, now, services } = call;
  if (!state) throw flowExpired();
  const name = flowCookie(state);
  const cookie = getCookie(c, name);
  const flow = cookie === undefined ? undefined : await openFlow(services.ssoBox, cookie, state, now);
  if (!flow) throw flowExpired();
  return flow;
}

/** A person as a provider describes them, with the connection. */
export interface Described {
  connection: SsoConnection;
  confirmed: Confirmed;
  person: Person;
  groups: string[] | undefined;
  overage: boolean;
  /** When the person signed in there, if the provider says so. */
  authTime: Date | undefined;
}

/** Exchanges the code of a callback. */
export async function describePerson(call: PublicCall, flow: Flow): Promise<Described> {
  const { c, db, now, services } = call;
  const { config, secretBox } = services;
  const connection = await findConnection({ db, config, secretBox }, flow.connectionId);
  if (!connection || !(connection.enabled || flow.purpose === 'test'))
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
    authTime: authTimeOf(confirmed.idClaims, now),
    overage: groups === undefined && hasOverage(claims, connection.claims),
    person: {
      issuer: confirmed.issuer,
      subject: subjectOf(confirmed.issuer, claims),
      email,
      emailVerified: emailVerifiedOf(confirmed.issuer, claims, connection.claims, email),
      name: nameOf(claims, connection.claims, email ?? String(claims.sub)),
    },
  };
}

export const OVERAGE =
  'The provider left out the groups, because the person is in more than 200. Map app roles instead (claim roles), or limit the groups to those of the application.';

/** The result of a test. */
export function testResult({ connection, confirmed, person, groups, overage }: Described) {
  const { email, emailVerified } = person;
  const role = overage ? undefined : roleOf(connection, { groups: groups ?? [], ...person });
  const isVouched = vouchesFor(connection, person);
  const mapsGroups = connection.roleMapping.length > 0;
  const warnings = [
    email === undefined && `The claim ${connection.claims.email} has no e-mail address: nobody can sign in.`,
    overage && OVERAGE,
    mapsGroups && groups === undefined && !overage && `The claim ${connection.claims.groups} is missing.`,
    emailVerified === false &&
      'The provider does not vouch for the address (`email_verified`; at Google, `hd` is another domain).',
    email !== undefined &&
      emailVerified !== false &&
      !isVouched &&
      'The domain of the address is not a proven one of this connection: it gives no default role, and connects no existing accounts.',
    !role && 'No role: this person could not sign in.',
  ].filter((warning) => typeof warning === 'string');
  return {
    claims: confirmed.claims as Record<string, unknown>,
    subject: person.subject,
    ...(email !== undefined && { email }),
    ...(emailVerified !== undefined && { email_verified: emailVerified }),
    domain_proven: isVouched,
    name: person.name,
    groups: groups ?? [],
    ...(role && { role }),
    mfa: usedMfa(confirmed.idClaims),
    warnings,
  };
}

/** Whether a browser asks for a page. Scripts get JSON. */
export const asksForPage = ({ c }: PublicCall): boolean =>
  (c.req.header('accept') ?? '').includes('text/html');

/** @throws SsoRefusal; a browser is sent to a page instead, which says why */
export async function orExplain<T>(
  call: PublicCall,
  shownAt: () => { path: string; query?: Record<string, string> },
  run: () => Promise<T>,
): Promise<T | { status: 302; headers: Headers }> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof SsoRefusal)) throw error;
    logSecurityEvent(call, 'sign_in_failed', { reason: `sso: ${error.reason}`, detail: error.message });
    if (!asksForPage(call)) throw error;
    const { path, query } = shownAt();
    const search = new URLSearchParams({ sso_error: error.reason, ...query });
    return { status: 302 as const, headers: { location: `${path}?${search}` } };
  }
}
