import { createHmac } from 'node:crypto';
import { and, eq, gt, inArray } from 'drizzle-orm';
import type { Db, Tx } from '../../../db/client.ts';
import type { NewId } from '../../../db/ids.ts';
import { emailCodes } from '../../../db/schema/accounts.ts';
import type { Key, KeyRing } from '../../crypto/keys.ts';
import { randomDigits } from '../../crypto/random.ts';

const LIFETIME_MS = 5 * 60 * 1000;

/** The device and the purpose of a code. */
export interface CodeDevice {
  id: string;
  /** The login (id of its `mfa_token`) or the session that requested the code. The code is valid for it only. */
  purpose: string;
}

/** One-time codes that are mailed to an e-mail device. */
export interface EmailCodes {
  /** Creates a code, which replaces an earlier one of the same device and purpose. */
  issue(tx: Tx, device: CodeDevice, now: Date): Promise<string>;
  /** Consumes a code. Only one of several concurrent attempts succeeds. @returns whether the code was valid */
  use(db: Db | Tx, device: CodeDevice, code: string, now: Date): Promise<boolean>;
}

/** @param keys for an HMAC, because six digits can be guessed from a plain hash */
export function createEmailCodes(keys: KeyRing, nextId: () => NewId): EmailCodes {
  const [first] = keys;
  if (!first) throw new Error('no key for e-mail codes');
  const hash = ({ bytes }: Key, { id, purpose }: CodeDevice, code: string) =>
    createHmac('sha256', bytes).update(`${id} ${purpose} ${code}`).digest('hex');
  return {
    async issue(tx, device, now) {
      const code = randomDigits();
      const values = {
        codeHash: hash(first, device, code),
        expiresAt: new Date(now.getTime() + LIFETIME_MS),
      };
      await tx
        .insert(emailCodes)
        .values({ id: nextId().id, deviceId: device.id, purpose: device.purpose, ...values })
        .onConflictDoUpdate({ target: [emailCodes.deviceId, emailCodes.purpose], set: values });
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
