import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Db, Tx } from '../../../db/client.ts';
import { usedChallenges } from '../../../db/schema/accounts.ts';
import type { Key, KeyRing } from '../../crypto/keys.ts';
import { sha256Hex } from '../../crypto/random.ts';

/** Also the time that browsers wait for the user. */
export const CHALLENGE_MS = 5 * 60 * 1000;

const RANDOM_BYTES = 16;
const TIME_BYTES = 6;
const MAC_BYTES = 32;

/** An authentic challenge that has not expired. Whether it was used is known when it is spent. */
export interface Challenge {
  text: string;
  expiresAt: Date;
}

/**
 * Challenges of passkeys. Each carries its expiry and a keyed hash over its purpose, so that visitors of the sign-in page cause
 * no rows. Only a challenge that was answered correctly is stored, until it expires.
 */
export interface PasskeyChallenges {
  /** @param purpose the ceremony, and the session or the login that it belongs to. The challenge is valid for it only */
  issue(purpose: string, now: Date): string;
  /** @returns undefined if the challenge is not authentic, has another purpose or has expired */
  open(text: string, purpose: string, now: Date): Challenge | undefined;
}

export function createPasskeyChallenges(keys: KeyRing): PasskeyChallenges {
  const [first] = keys;
  if (!first) throw new Error('no key for challenges of passkeys');
  const mac = ({ bytes }: Key, content: Buffer, purpose: string) =>
    createHmac('sha256', bytes).update(content).update(purpose).digest();
  return {
    issue(purpose, now) {
      const content = Buffer.concat([randomBytes(RANDOM_BYTES), Buffer.alloc(TIME_BYTES)]);
      content.writeUIntBE(now.getTime() + CHALLENGE_MS, RANDOM_BYTES, TIME_BYTES);
      return Buffer.concat([content, mac(first, content, purpose)]).toString('base64url');
    },
    open(text, purpose, now) {
      const bytes = Buffer.from(text, 'base64url');
      if (bytes.length !== RANDOM_BYTES + TIME_BYTES + MAC_BYTES) return undefined;
      // Other spellings of the same bytes would be spent separately.
      if (bytes.toString('base64url') !== text) return undefined;
      const content = bytes.subarray(0, -MAC_BYTES);
      const sent = bytes.subarray(-MAC_BYTES);
      if (!keys.some((key) => timingSafeEqual(mac(key, content, purpose), sent))) return undefined;
      const expiresAt = new Date(content.readUIntBE(RANDOM_BYTES, TIME_BYTES));
      return expiresAt > now ? { text, expiresAt } : undefined;
    },
  };
}

/** Uses a challenge, in the transaction that its answer allows, if there is one. @returns false if it was used before */
export async function spendChallenge(tx: Db | Tx, { text, expiresAt }: Challenge): Promise<boolean> {
  const spent = await tx
    .insert(usedChallenges)
    .values({ hash: sha256Hex(text), expiresAt })
    .onConflictDoNothing()
    .returning({ hash: usedChallenges.hash });
  return spent.length > 0;
}
