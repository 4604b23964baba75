import { and, asc, eq, lte, sql } from 'drizzle-orm';
import type { Db, Tx } from '../../db/client.ts';
import { createGroup } from '../../db/group.ts';
import type { NewId } from '../../db/ids.ts';
import { mailQueue } from '../../db/shared.ts';
import { arrayText } from '../../db/statements.ts';
import type { Logger } from '../logger.ts';
import type { MailContent } from './mailer.ts';

export type QueuedMail = typeof mailQueue.$inferSelect;

/**
 * The rows of `shared.mail_queue`. While the database is out of reach, what is asked of them is left undone, which is
 * logged once.
 */
export interface QueuedMails {
  /** Writes a mail, in the caller's transaction. @returns its id */
  write(tx: Db | Tx, recipient: string, content: MailContent): Promise<string>;
  /** Writes a mail to nobody and erases it. */
  pretend(tx: Tx, content: MailContent): Promise<void>;
  /** Takes due mails: until their lease is over they are no longer due. */
  take(limit: number): Promise<QueuedMail[]>;
  /** Forgets a mail that was sent. @returns whether it did */
  erase(id: string): Promise<boolean>;
  /** Forgets a mail that cannot be sent, unless another process has taken it meanwhile. @returns whether it did */
  drop(mail: QueuedMail): Promise<boolean>;
  /** Puts a mail off, unless another process has taken it meanwhile. */
  postpone(mail: QueuedMail, nextAttemptAt: Date): Promise<void>;
}

export interface QueuedMailsOptions {
  db: Db;
  log: Logger;
  clock: () => Date;
  nextId: () => NewId;
}

/** How long a mail is left alone by others; after that its process is taken for dead. Longer than a send can last. */
const LEASE_MS = 60_000;

export function createQueuedMails({ db, log, clock, nextId }: QueuedMailsOptions): QueuedMails {
  let outOfReach = false;

  /** Mails that were sent while others are erased are erased together. */
  const erase = createGroup<string, true>({
    maxItems: 1_000,
    async run(ids) {
      await db.delete(mailQueue).where(sql`${mailQueue.id} = any (${arrayText(ids)}::uuid[])`);
      return ids.map(() => true);
    },
  });

  /** @returns undefined when it fails */
  async function attempt<T>(statement: () => PromiseLike<T>): Promise<T | undefined> {
    try {
      const result = await statement();
      outOfReach = false;
      return result;
    } catch (error) {
      if (!outOfReach) log.warn('the mail queue is out of reach', { error });
      outOfReach = true;
      return undefined;
    }
  }

  /** A mail as it was when it was taken. */
  const same = ({ id, attempts }: QueuedMail) => and(eq(mailQueue.id, id), eq(mailQueue.attempts, attempts));

  async function write(tx: Db | Tx, recipient: string, content: MailContent): Promise<string> {
    const { id, at } = nextId();
    const { subject, html, text, link = null } = content;
    await tx
      .insert(mailQueue)
      .values({ id, recipient, subject, html, text, link, nextAttemptAt: at, createdAt: at });
    return id;
  }

  return {
    write,
    async pretend(tx, content) {
      const id = await write(tx, 'nobody@invalid', content);
      await tx.delete(mailQueue).where(eq(mailQueue.id, id));
    },
    async take(limit) {
      const now = clock();
      const due = db
        .select({ id: mailQueue.id })
        .from(mailQueue)
        .where(lte(mailQueue.nextAttemptAt, now))
        .orderBy(asc(mailQueue.nextAttemptAt))
        .limit(limit)
        .for('update', { skipLocked: true });
      const nextAttemptAt = new Date(now.getTime() + LEASE_MS);
      const mails = await attempt(() =>
        db
          .update(mailQueue)
          .set({ attempts: sql`${mailQueue.attempts} + 1`, nextAttemptAt })
          // As an array it is looked up once; as a set it may be joined, and its limit taken anew for every row.
          .where(sql`${mailQueue.id} = any(array${due})`)
          .returning(),
      );
      // In the order they were written, as far as it is up to us.
      return (mails ?? []).sort((a, b) => (a.id < b.id ? -1 : 1));
    },
    erase: async (id) => (await attempt(() => erase(id))) ?? false,
    async drop(mail) {
      const gone = await attempt(() =>
        db.delete(mailQueue).where(same(mail)).returning({ id: mailQueue.id }),
      );
      return gone !== undefined && gone.length > 0;
    },
    async postpone(mail, nextAttemptAt) {
      await attempt(() => db.update(mailQueue).set({ nextAttemptAt }).where(same(mail)));
    },
  };
}
