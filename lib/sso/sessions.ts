import { and, eq, inArray, isNotNull, isNull, notExists, type SQL } from 'drizzle-orm';
import type { Db, Tx } from '../../db/client.ts';
import { mfaLogins, sessions } from '../../db/schema/accounts.ts';
import { ssoSessions as t } from '../../db/schema/identities.ts';
import { memberships, ssoConnections } from '../../db/schema/orgs.ts';
import type { SecretBox } from '../crypto/secret-box.ts';
import { plainIssuer } from '../outbound/issuers.ts';
import { DEPLOYMENT_ID } from './connections.ts';
import { SsoRefusal } from './refusal.ts';

/** The sign-in at a provider that a session begins with. */
export interface SsoStart {
  identityId: string;
  connectionId: string;
  issuer: string;
  clientId: string;
  sub: string;
  sid: string | null;
  idToken: string;
  endSession: string | null;
  /** Several factors at the provider, and a connection that trusts it. */
  mfa: boolean;
  /** When the person signed in there, if that was before. */
  authTime: string | null;
}

const idTokenContext = (sessionId: string) => `sso_sessions ${sessionId}`;
const LOGIN_CONTEXT = 'sso login';

/** Long ID tokens are not kept: sign-out then asks at the provider. */
export const MAX_ID_TOKEN = 8_192;

/**
 * Stores what ends a session, in the transaction that inserts it.
 * @throws SsoRefusal if meanwhile the connection was switched off, or leads elsewhere, which ends its sessions, or the member was suspended
 */
export async function insertSsoSession(
  db: Db | Tx,
  box: SecretBox,
  sessionId: string,
  start: SsoStart,
): Promise<void> {
  const { idToken, connectionId, mfa: _, authTime: __, ...columns } = start;
  if (connectionId !== DEPLOYMENT_ID) {
    const suspended = db
      .select()
      .from(memberships)
      .innerJoin(sessions, eq(sessions.userId, memberships.userId))
      .where(
        and(
          eq(memberships.orgId, ssoConnections.orgId),
          eq(sessions.id, sessionId),
          isNotNull(memberships.suspendedAt),
        ),
      );
    const [enabled] = await db
      .select({ id: ssoConnections.id })
      .from(ssoConnections)
      .where(
        and(
          eq(ssoConnections.id, connectionId),
          ssoConnections.enabled,
          eq(ssoConnections.issuer, plainIssuer(start.issuer)),
          eq(ssoConnections.clientId, start.clientId),
          notExists(suspended),
        ),
      )
      .for('share');
    if (!enabled)
      throw new SsoRefusal('expired', 'The connection or your membership was changed meanwhile. Try again.');
  }
  await db
    .insert(t)
    .values({ sessionId, ...columns, idToken: await box.seal(idToken, idTokenContext(sessionId)) });
}

/** A sign-in that waits for the second factor, for `mfa_logins`. */
export const sealLogin = (box: SecretBox, start: SsoStart): Promise<string> =>
  box.seal(JSON.stringify(start), LOGIN_CONTEXT);

/** The sign-in at a provider that waits for a second factor; undefined if it began with a password. */
export async function readSsoLogin(db: Db, box: SecretBox, loginId: string): Promise<SsoStart | undefined> {
  const [row] = await db.select({ sso: mfaLogins.sso }).from(mfaLogins).where(eq(mfaLogins.id, loginId));
  return row?.sso ? (JSON.parse(await box.open(row.sso, LOGIN_CONTEXT)) as SsoStart) : undefined;
}

const revoke = (tx: Db | Tx, now: Date, where: SQL | undefined) =>
  tx
    .update(sessions)
    .set({ revokedAt: now })
    .where(
      and(
        isNull(sessions.revokedAt),
        inArray(sessions.id, tx.select({ id: t.sessionId }).from(t).where(where)),
      ),
    )
    .returning({ id: sessions.id, userId: sessions.userId });

/** Ends the sessions that a connection began. After it is switched off or deleted, so that none begins meanwhile. */
export async function endConnectionSessions(tx: Tx, connectionId: string, now: Date): Promise<void> {
  await tx
    .update(sessions)
    .set({ revokedAt: now })
    .where(and(isNull(sessions.revokedAt), eq(sessions.ssoConnectionId, connectionId)));
}

/** Ends the sessions that an account at a provider began. */
export const endIdentitySessions = (tx: Tx, identityId: string, now: Date) =>
  revoke(tx, now, eq(t.identityId, identityId));

/** Ends the sessions that a logout token names: one, or all of a person at this client. */
export const endSsoSessions = (
  tx: Tx,
  {
    issuer,
    clientId,
    sub,
    sid,
  }: { issuer: string; clientId: string; sub?: string | undefined; sid?: string | undefined },
  now: Date,
) =>
  revoke(
    tx,
    now,
    and(
      eq(t.issuer, issuer),
      eq(t.clientId, clientId),
      sub === undefined ? undefined : eq(t.sub, sub),
      sid === undefined ? undefined : eq(t.sid, sid),
    ),
  );

/** The address of the provider's page that signs out there too; undefined if the session did not begin at one that has it. */
export async function logoutUrl(
  db: Db,
  box: SecretBox,
  sessionId: string,
  { returnTo, allowHttp }: { returnTo: string; allowHttp: boolean },
): Promise<string | undefined> {
  const [row] = await db.select().from(t).where(eq(t.sessionId, sessionId));
  if (!row?.endSession || !URL.canParse(row.endSession)) return undefined;
  const url = new URL(row.endSession);
  if (url.protocol !== 'https:' && !(allowHttp && url.protocol === 'http:')) return undefined;
  const idToken = await box.open(row.idToken, idTokenContext(sessionId)).catch(() => '');
  if (idToken !== '') url.searchParams.set('id_token_hint', idToken);
  url.searchParams.set('client_id', row.clientId);
  url.searchParams.set('post_logout_redirect_uri', returnTo);
  return url.href;
}
