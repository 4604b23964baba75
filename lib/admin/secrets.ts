import { and, asc, eq, gt, isNotNull, not, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Database } from '../../db/client.ts';
import { mfaDevices } from '../../db/schema/accounts.ts';
import { outgoingMails } from '../../db/schema/platform.ts';
import type { SecretBox } from '../crypto/secret-box.ts';
import { oneLine } from './error.ts';

/** What became of the secrets of one kind. */
export interface ReencryptedKind {
  /** Sealed with the first key now. */
  reencrypted: number;
  /** Changed or gone meanwhile, by a server. */
  skipped: number;
  /** Not opened by any key that is set, and left as they are. */
  left: { id: string; reason: string }[];
}

export interface Reencrypted {
  totp_secrets: ReencryptedKind;
  queued_mails: ReencryptedKind;
}

const BATCH = 100;

/** Where secrets of a kind are. */
interface Place {
  table: typeof mfaDevices | typeof outgoingMails;
  id: PgColumn;
  sealed: PgColumn;
  box: SecretBox;
  /** What a secret was sealed for. */
  contextOf: (id: string) => string | undefined;
}

/**
 * Seals everything with the first key that is not yet: TOTP secrets, also plain ones, and mails that wait. In batches, each
 * secret by a statement that changes it only while it is the one that was read, so servers may run; what was done stays done
 * when it is interrupted.
 */
export async function reencrypt(
  database: Database,
  { totp, mail }: { totp: SecretBox; mail: SecretBox },
  onBatch: (line: string) => void = () => {},
): Promise<Reencrypted> {
  const secrets: Place = {
    ...{ table: mfaDevices, id: mfaDevices.id, sealed: mfaDevices.secret, box: totp },
    contextOf: () => undefined,
  };
  const mails: Place = {
    ...{ table: outgoingMails, id: outgoingMails.id, sealed: outgoingMails.sealed, box: mail },
    contextOf: (id) => id,
  };
  return {
    totp_secrets: await reencryptKind(database, secrets, (n) => onBatch(`TOTP secrets: ${n}`)),
    queued_mails: await reencryptKind(database, mails, (n) => onBatch(`queued mails: ${n}`)),
  };
}

async function reencryptKind(
  { db }: Database,
  place: Place,
  onBatch: (reencrypted: number) => void,
): Promise<ReencryptedKind> {
  const { table, id, sealed, box, contextOf } = place;
  const result: ReencryptedKind = { reencrypted: 0, skipped: 0, left: [] };
  const outdated = and(isNotNull(sealed), not(sql`starts_with(${sealed}, ${box.current})`));
  let after: SQL | undefined;
  for (;;) {
    const rows = await db
      .select({ id: sql<string>`${id}`, sealed: sql<string>`${sealed}` })
      .from(table)
      .where(and(outdated, after))
      .orderBy(asc(id))
      .limit(BATCH);
    for (const row of rows) {
      const context = contextOf(row.id);
      const text = await box.open(row.sealed, context).catch((error: Error) => error);
      if (text instanceof Error) {
        result.left.push({ id: row.id, reason: oneLine(text.message) });
        continue;
      }
      const renewed = { [table === mfaDevices ? 'secret' : 'sealed']: await box.seal(text, context) };
      const changed = await db
        .update(table)
        .set(renewed)
        .where(and(eq(id, row.id), eq(sealed, row.sealed)))
        .returning({ id });
      if (changed.length > 0) result.reencrypted++;
      else result.skipped++;
    }
    if (rows.length > 0) onBatch(result.reencrypted);
    const last = rows.at(-1);
    if (!last || rows.length < BATCH) return result;
    after = gt(id, last.id);
  }
}
