import { and, eq, gt, lt, sql } from 'drizzle-orm';
import type { Db, Tx } from '../../../db/client.ts';
import { mfaLogins, users } from '../../../db/schema/accounts.ts';
import { statement } from '../../../db/statements.ts';
import type { PublicCall } from '../../http/call.ts';
import { ApiError } from '../../http/errors.ts';
import { logSecurityEvent } from '../../security-events.ts';
import type { Account } from '../accounts.ts';
import { TOKEN_SECONDS, type TokenClaims } from '../sessions/signed-token.ts';

/** Codes that can be tried with one `mfa_token` while limits are on. */
const MAX_CODES_PER_LOGIN = 10;

/** `passwordHash`: of the password that was checked. */
const insertLogin = statement<
  { id: string; userId: string; passwordHash: string | null; expiresAt: string },
  { id: string }
>(
  ($) => sql`
with account as materialized (
  select ${users.id} from ${users} where ${users.id} = ${$.userId}::uuid
    and ${users.passwordHash} = ${$.passwordHash} and ${users.disabledAt} is null
  for no key update
)
insert into ${mfaLogins} (id, user_id, expires_at) select ${$.id}::uuid, id, ${$.expiresAt}::timestamptz from account
returning id`,
);

/**
 * Starts a sign-in that waits for its second factor. One statement: a concurrent password change either refuses this
 * sign-in or ends it.
 * @returns the `mfa_token`
 * @throws ApiError `auth_error/invalid_credentials` when the password was changed or the account disabled meanwhile
 */
export async function startMfaLogin({ services, now }: PublicCall, account: Account): Promise<string> {
  const { id } = services.nextId();
  const expiresAt = new Date(now.getTime() + TOKEN_SECONDS.mfa * 1000).toISOString();
  const [token, rows] = await Promise.all([
    services.signedTokens.sign('mfa', { userId: account.id, id }, now),
    insertLogin.run(services.database.sql, {
      ...{ id, expiresAt },
      userId: account.id,
      passwordHash: account.passwordHash,
    }),
  ]);
  if (rows.length === 0) throw new ApiError('auth_error/invalid_credentials');
  return token;
}

const invalid = () => new ApiError('auth_error/mfa_invalid_code');

/** Refuses a code for a sign-in that is completed, ended or out of tries. */
function over(call: PublicCall, { userId }: TokenClaims): ApiError {
  logSecurityEvent(call, 'sign_in_failed', { reason: 'sign-in over', account: userId });
  return invalid();
}

/** @throws ApiError `auth_error/mfa_invalid_code` when the token is not a fresh one of ours */
export async function readMfaToken({ services, now }: PublicCall, token: string): Promise<TokenClaims> {
  const claims = await services.signedTokens.verify('mfa', token, now);
  if (!claims || claims === 'expired') throw invalid();
  return claims;
}

const waiting = ({ id, userId }: TokenClaims, now: Date) =>
  and(eq(mfaLogins.id, id), eq(mfaLogins.userId, userId), gt(mfaLogins.expiresAt, now));

/** @throws ApiError `auth_error/mfa_invalid_code` when the sign-in is over: completed, or ended by a new password */
export async function requireMfaLogin({ db, now }: PublicCall, claims: TokenClaims): Promise<void> {
  const [login] = await db.select({ id: mfaLogins.id }).from(mfaLogins).where(waiting(claims, now));
  if (!login) throw invalid();
}

/**
 * Counts a code before it is checked, by a statement of its own: codes that are tried at once are all counted, and
 * a refused request does not take its count back.
 * @throws ApiError `auth_error/mfa_invalid_code` when the sign-in is over, or had too many codes
 */
export async function countCode(call: PublicCall, claims: TokenClaims): Promise<void> {
  const { db, now } = call;
  const counted = await db
    .update(mfaLogins)
    .set({ failures: sql`${mfaLogins.failures} + 1` })
    .where(and(waiting(claims, now), lt(mfaLogins.failures, MAX_CODES_PER_LOGIN)))
    .returning({ id: mfaLogins.id });
  if (counted.length === 0) throw over(call, claims);
}

/**
 * Ends the sign-in as completed, in the transaction that makes the session: of two requests, one gets it.
 * @throws ApiError `auth_error/mfa_invalid_code` when it was over before
 */
export async function completeMfaLogin(tx: Tx, call: PublicCall, claims: TokenClaims): Promise<void> {
  const completed = await tx
    .delete(mfaLogins)
    .where(waiting(claims, call.now))
    .returning({ id: mfaLogins.id });
  if (completed.length === 0) throw over(call, claims);
}

/**
 * Ends all of a user's sign-ins that wait for a second factor. Call it before `revokeSessions`, which then also ends the
 * session of a sign-in that completed meanwhile.
 */
export async function endMfaLogins(tx: Db | Tx, userId: string): Promise<void> {
  await tx.delete(mfaLogins).where(eq(mfaLogins.userId, userId));
}
