import { createHmac } from 'node:crypto';
import { and, eq, gt, inArray } from 'drizzle-orm';
import type { Db, Tx } from '../../../db/client.ts';
import type { NewId } from '../../../db/ids.ts';
import { emailCodes } from '../../../db/schema/accounts.ts';
import type { Key, KeyRing } from '../../crypto/keys.ts';
import { randomDigits } from '../../crypto/random.ts';

const LIFETIME_MS = 5 * 60 * 1000;

/** Where a code goes, and what it is for. */
export interface CodeDevice {
  id: string;
  /** The sign-in (by the id of its `mfa_token`) or the session that asked for the code: it works there only. */
  purpose: string;
}

/** One-time codes that are mailed to an e-mail device. */
export interface EmailCodes {
  /** Makes a code, which replaces the one before of this device and purpose; those of other purposes keep working. */
  issue(tx: Tx, device: CodeDevice, now: Date): Promise<string>;
  /** Uses a code up; of several that try at once, one succeeds. */
  use(db: Db | Tx, device: CodeDevice, code: string, now: Date): Promise<boolean>;
}

/** @param keys of the hash: six digits would be guessed from a plain one */
export function createEmailCodes(keys: KeyRing, nextId: () => NewId): EmailCodes {
  const [first] = keys;
  if (!first) throw new Error('no key for e-mail codes');
  const hash = ({ bytes }: Key, { id, purpose }: CodeDevice, code: string) =>
    createHmac('sha256', bytes).update(`${id} ${purpose} ${code}`).digest('hex');
  return {
    async issue(tx, device, now) {
      const code = randomDigits();
      const made = {
        codeHash: hash(first, device, code),
        expiresAt: new Date(now.getTime() + LIFETIME_MS),
      };
      await tx
        .insert(emailCodes)
        .values({ id: nextId().id, deviceId: device.id, purpose: device.purpose, ...made })
        .onConflictDoUpdate({ target: [emailCodes.deviceId, emailCodes.purpose], set: made });
      return code;
    },
    async use(db, device, code, now) {
      const used = await db
        .delete(emailCodes)
        .where(
          and(
            eq(emailCodes.deviceId, device.id),
            inArray(
              emailCodes.codeHash,
              keys.map((key) => hash(key, device, code)),
            ),
            gt(emailCodes.expiresAt, now),
          ),
        )
        .returning({ id: emailCodes.id });
      return used.length > 0;
    },
  };
}
