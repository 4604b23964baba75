import { and, eq, gt, lt, sql } from 'drizzle-orm';
import type { Database, Db, Tx } from '../../../db/client.ts';
import type { NewId } from '../../../db/ids.ts';
import { mfaLogins, users } from '../../../db/schema/accounts.ts';
import { statement } from '../../../db/statements.ts';
import { ApiError } from '../../errors.ts';
import type { Account } from '../accounts.ts';
import { type SignedTokens, TOKEN_SECONDS, type TokenClaims } from '../sessions/signed-token.ts';

/** Codes that can be tried with one `mfa_token` if limits are on. */
const MAX_CODES_PER_LOGIN = 10;

/** `passwordHash`: of the password that was checked; null for an account without one, which a provider signs in. */
const insertLogin = statement<
  { id: string; userId: string; passwordHash: string | null; expiresAt: string; sso: string | null },
  { id: string }
>(
  ($) => sql`
with account as materialized (
  select ${users.id} from ${users} where ${users.id} = ${$.userId}::uuid
    and ${users.passwordHash} is not distinct from ${$.passwordHash} and ${users.disabledAt} is null
  for no key update
)
insert into ${mfaLogins} (id, user_id, expires_at, sso)
  select ${$.id}::uuid, id, ${$.expiresAt}::timestamptz, ${$.sso}::text from account
returning id`,
);

/**
 * Starts a login that waits for its second factor. The row lock makes a concurrent password change either fail this login or
 * end it.
 * @param sso the sign-in at a provider that waits, sealed
 * @returns the `mfa_token`
 * @throws ApiError `auth_error/invalid_credentials` when the password was changed or the account disabled meanwhile
 */
export async function startMfaLogin(
  services: { database: Database; nextId: () => NewId; signedTokens: SignedTokens },
  account: Pick<Account, 'id' | 'passwordHash'>,
  now: Date,
  sso: string | null = null,
): Promise<string> {
  const { id } = services.nextId();
  const expiresAt = new Date(now.getTime() + TOKEN_SECONDS.mfa * 1000).toISOString();
  const [token, rows] = await Promise.all([
    services.signedTokens.sign('mfa', { userId: account.id, id }, now),
    insertLogin.run(services.database.sql, {
      ...{ id, expiresAt },
      userId: account.id,
      passwordHash: account.passwordHash,
      sso,
    }),
  ]);
  if (rows.length === 0) throw new ApiError('auth_error/invalid_credentials');
  return token;
}

const invalid = () => new ApiError('auth_error/mfa_invalid_code');

/** @throws ApiError `auth_error/mfa_invalid_code` when the token is invalid or expired */
export async function readMfaToken(
  signedTokens: SignedTokens,
  token: string,
  now: Date,
): Promise<TokenClaims> {
  const verified = await signedTokens.verify('mfa', token, now);
  if (verified.kind !== 'valid') throw invalid();
  return verified.claims;
}

const isWaiting = ({ id, userId }: TokenClaims, now: Date) =>
  and(eq(mfaLogins.id, id), eq(mfaLogins.userId, userId), gt(mfaLogins.expiresAt, now));

/** @throws ApiError `auth_error/mfa_invalid_code` when the login was completed, or ended by a new password */
export async function requireMfaLogin(db: Db, claims: TokenClaims, now: Date): Promise<void> {
  const [login] = await db.select({ id: mfaLogins.id }).from(mfaLogins).where(isWaiting(claims, now));
  if (!login) throw invalid();
}

/**
 * Counts a code before it is checked. It uses its own statement, so that concurrent codes are all counted and a refused
 * request does not roll back its count.
 * @returns false when the login is over or had too many codes
 */
export async function countCode(db: Db, claims: TokenClaims, now: Date): Promise<boolean> {
  const counted = await db
    .update(mfaLogins)
    .set({ failures: sql`${mfaLogins.failures} + 1` })
    .where(and(isWaiting(claims, now), lt(mfaLogins.failures, MAX_CODES_PER_LOGIN)))
    .returning({ id: mfaLogins.id });
  return counted.length > 0;
}

/**
 * Deletes the login in the transaction that creates its session, so that only one of two concurrent requests succeeds.
 * @returns false when the login is already over
 */
export async function completeMfaLogin(tx: Tx, claims: TokenClaims, now: Date): Promise<boolean> {
  const completed = await tx.delete(mfaLogins).where(isWaiting(claims, now)).returning({ id: mfaLogins.id });
  return completed.length > 0;
}

/**
 * Ends a user's logins that wait for a second factor. Call it before `revokeSessions`, which then also ends the session of a
 * login that completed meanwhile.
 */
export async function endMfaLogins(tx: Db | Tx, userId: string): Promise<void> {
  await tx.delete(mfaLogins).where(eq(mfaLogins.userId, userId));
}
