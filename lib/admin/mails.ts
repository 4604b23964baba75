import { gt } from 'drizzle-orm';
import type { Database } from '../../db/client.ts';
import { mailQueue, outgoingMails } from '../../db/schema/platform.ts';

export interface RetriedMails {
  /** Mails that waited for their next attempt. */
  due_now: number;
  /** The others: they are being sent, or are tried again within two minutes. */
  due_soon: number;
}

/** Longer than the lease of a mail that is being sent, which must not be sent twice, and than clocks differ. */
const SOON_MS = 120_000;

/** Makes all mails due. Servers look for them every few seconds. */
export async function retryMails({ db }: Database): Promise<RetriedMails> {
  const now = new Date();
  const soon = new Date(now.getTime() + SOON_MS);
  const result = { due_now: 0, due_soon: 0 };
  for (const table of [outgoingMails, mailQueue]) {
    const all = await db.$count(table);
    const { id, nextAttemptAt } = table;
    const due = await db
      .update(table)
      .set({ nextAttemptAt: now })
      .where(gt(nextAttemptAt, soon))
      .returning({ id });
    result.due_now += due.length;
    result.due_soon += Math.max(0, all - due.length);
  }
  return result;
}
