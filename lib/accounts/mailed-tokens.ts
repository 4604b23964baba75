import { and, eq, gt } from 'drizzle-orm';
import type { Db, Tx } from '../../db/client.ts';
import { type MAILED_TOKEN_PURPOSES, mailedTokens, users } from '../../db/schema/accounts.ts';
import { randomHex, sha256Hex } from '../crypto/random.ts';
import { ApiError } from '../errors.ts';

export type MailedTokenPurpose = (typeof MAILED_TOKEN_PURPOSES)[number];

const HOUR_MS = 60 * 60 * 1000;

/** How long a mailed link works (API contract, "Limits"). */
export const MAILED_TOKEN_MS: Record<MailedTokenPurpose, number> = {
  reset_password: HOUR_MS,
  verify_email: 24 * HOUR_MS,
};

export interface MailedToken {
  purpose: MailedTokenPurpose;
  userId: string;
  /** The address it goes to. */
  emailId: string;
}

/**
 * Makes a token for a link and keeps its hash.
 * @param ms how long it works
 * @returns the token, hex
 */
export async function issueMailedToken(
  db: Db | Tx,
  token: MailedToken,
  now: Date,
  ms = MAILED_TOKEN_MS[token.purpose],
): Promise<string> {
  const text = randomHex(32);
  await db.insert(mailedTokens).values({
    tokenHash: sha256Hex(text),
    ...token,
    expiresAt: new Date(now.getTime() + ms),
    createdAt: now,
  });
  return text;
}

/** Whether a token can be used now; nothing is used up. */
export async function isMailedToken(
  db: Db,
  purpose: MailedTokenPurpose,
  text: string,
  now: Date,
): Promise<boolean> {
  const [found] = await db
    .select({ userId: mailedTokens.userId })
    .from(mailedTokens)
    .where(
      and(
        eq(mailedTokens.tokenHash, sha256Hex(text)),
        eq(mailedTokens.purpose, purpose),
        gt(mailedTokens.expiresAt, now),
      ),
    );
  return found !== undefined;
}

/**
 * Uses a token up; of several that try at once, one succeeds.
 * @param emailId for links that name the address they belong to
 * @returns whose it was, or undefined when it is unknown, used, expired, or of another purpose or address
 */
export async function consumeMailedToken(
  tx: Tx,
  purpose: MailedTokenPurpose,
  text: string,
  now: Date,
  emailId?: string,
): Promise<{ userId: string; emailId: string } | undefined> {
  const valid = and(
    eq(mailedTokens.tokenHash, sha256Hex(text)),
    eq(mailedTokens.purpose, purpose),
    emailId === undefined ? undefined : eq(mailedTokens.emailId, emailId),
    gt(mailedTokens.expiresAt, now),
  );
  const [found] = await tx.select({ userId: mailedTokens.userId }).from(mailedTokens).where(valid);
  if (!found) return undefined;
  // The user first: two links of one account would else wait for each other.
  await tx.select({ id: users.id }).from(users).where(eq(users.id, found.userId)).for('no key update');
  const [used] = await tx
    .delete(mailedTokens)
    .where(valid)
    .returning({ userId: mailedTokens.userId, emailId: mailedTokens.emailId });
  return used;
}

/** The error for a link that does not work, for whatever reason. */
export const invalidLink = (cause?: unknown) =>
  new ApiError('validation_error/field_invalid', {
    message: 'The link is invalid or has expired.',
    details: [{ field: 'token', message: 'is invalid or has expired' }],
    cause,
  });
