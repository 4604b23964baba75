import { and, gt } from 'drizzle-orm';
import type { Database } from '../../db/client.ts';
import { mailQueue, outgoingMails } from '../../db/schema/platform.ts';
import { collectsNoMore } from '../mail/queued-mails.ts';

export interface RetriedMails {
  /** Mails that waited for their next attempt. */
  due_now: number;
  /** The others: they are being sent, or are tried again within two minutes. */
  due_soon: number;
}

/** Longer than the lease of a mail that is being sent, which must not be sent twice, and than clocks differ. */
const SOON_MS = 120_000;

/** Makes all mails due, except those that collect notices until a time. Servers look for them every few seconds. */
export async function retryMails({ db }: Database): Promise<RetriedMails> {
  const now = new Date();
  const soon = new Date(now.getTime() + SOON_MS);
  const result = { due_now: 0, due_soon: 0 };
  for (const table of [outgoingMails, mailQueue]) {
    const isWaiting = table === outgoingMails ? collectsNoMore : undefined;
    const all = await db.$count(table, isWaiting);
    const { id, nextAttemptAt } = table;
    const due = await db
      .update(table)
      .set({ nextAttemptAt: now })
      .where(and(gt(nextAttemptAt, soon), isWaiting))
      .returning({ id });
    result.due_now += due.length;
    result.due_soon += Math.max(0, all - due.length);
  }
  return result;
}
