import { and, asc, eq, lte, sql } from 'drizzle-orm';
import { createBatcher } from '../../db/batcher.ts';
import type { Db, Tx } from '../../db/client.ts';
import type { NewId } from '../../db/ids.ts';
import { mailQueue, outgoingMails } from '../../db/schema/platform.ts';
import { arrayText } from '../../db/statements.ts';
import type { SecretBox } from '../crypto/secret-box.ts';
import type { Logger } from '../logger.ts';
import type { Mail, MailContent } from './mailer.ts';

/** Mails of this version are encrypted; what servers of the version before still write is in clear, in a table of its own. */
export type MailTable = typeof outgoingMails | typeof mailQueue;

/** A mail that was taken. */
export interface QueuedMail {
  id: string;
  attempts: number;
  createdAt: Date;
  table: MailTable;
  /** The mail, or why it cannot be opened. */
  content: Mail | Error;
}

/** A mail as a row holds it. */
export interface SealedMail {
  id: string;
  sealed: string;
  /** Due, and written. */
  at: Date;
}

/**
 * The rows of `shared.outgoing_mails`. While the database is out of reach, what is asked of them is left undone, which is
 * logged once.
 */
export interface QueuedMails {
  /** Makes the row of a mail, for a statement that writes it together with others. */
  seal(recipient: string, content: MailContent): Promise<SealedMail>;
  /** Writes a mail, in the caller's transaction. @returns its id */
  write(tx: Db | Tx, recipient: string, content: MailContent): Promise<string>;
  /** Writes a mail to nobody and erases it. */
  pretend(tx: Tx, content: MailContent): Promise<void>;
  /** Takes due mails: until their lease is over they are no longer due. */
  take(limit: number, table?: MailTable): Promise<QueuedMail[]>;
  /** Forgets a mail that was sent. @returns whether it did */
  erase(mail: QueuedMail): Promise<boolean>;
  /** Forgets a mail that cannot be sent, unless another process has taken it meanwhile. @returns whether it did */
  drop(mail: QueuedMail): Promise<boolean>;
  /** Puts a mail off, unless another process has taken it meanwhile. */
  postpone(mail: QueuedMail, nextAttemptAt: Date): Promise<void>;
}

export interface QueuedMailsOptions {
  db: Db;
  /** Seals mails, each for its own row. */
  box: SecretBox;
  log: Logger;
  clock: () => Date;
  nextId: () => NewId;
}

/** How long a mail is left alone by others; after that its process is taken for dead. Longer than a send can last. */
const LEASE_MS = 60_000;

export function createQueuedMails({ db, box, log, clock, nextId }: QueuedMailsOptions): QueuedMails {
  let outOfReach = false;

  /** Mails that were sent while others are erased are erased together. */
  const eraserOf = (table: MailTable) =>
    createBatcher<string, true>({
      maxItems: 1_000,
      async run(ids) {
        await db.delete(table).where(sql`${table.id} = any (${arrayText(ids)}::uuid[])`);
        return ids.map(() => true);
      },
    });
  const erasers = new Map([outgoingMails, mailQueue].map((table) => [table as MailTable, eraserOf(table)]));

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
  const same = ({ id, attempts, table }: QueuedMail) => and(eq(table.id, id), eq(table.attempts, attempts));

  async function seal(recipient: string, { subject, html, text, link }: MailContent): Promise<SealedMail> {
    const { id, at } = nextId();
    const mail: Mail = { recipient, subject, html, text, link };
    return { id, sealed: await box.seal(JSON.stringify(mail), id), at };
  }

  async function write(tx: Db | Tx, recipient: string, content: MailContent): Promise<string> {
    const { id, sealed, at } = await seal(recipient, content);
    await tx.insert(outgoingMails).values({ id, sealed, nextAttemptAt: at, createdAt: at });
    return id;
  }

  async function open(row: Omit<QueuedMail, 'content'> & ({ sealed: string } | Clear)): Promise<QueuedMail> {
    const { id, attempts, createdAt, table } = row;
    const content =
      'sealed' in row
        ? await box.open(row.sealed, id).then(
            (text) => JSON.parse(text) as Mail,
            (cause) => new Error(`the mail cannot be opened: ${cause.message}`, { cause }),
          )
        : { ...row, link: row.link ?? undefined };
    return { id, attempts, createdAt, table, content };
  }

  return {
    seal,
    write,
    async pretend(tx, content) {
      const id = await write(tx, 'nobody@invalid', content);
      await tx.delete(outgoingMails).where(eq(outgoingMails.id, id));
    },
    async take(limit, table = outgoingMails) {
      const now = clock();
      const due = db
        .select({ id: table.id })
        .from(table)
        .where(lte(table.nextAttemptAt, now))
        .orderBy(asc(table.nextAttemptAt))
        .limit(limit)
        .for('update', { skipLocked: true });
      const nextAttemptAt = new Date(now.getTime() + LEASE_MS);
      const rows = await attempt<(typeof outgoingMails.$inferSelect | typeof mailQueue.$inferSelect)[]>(() =>
        db
          .update(table)
          .set({ attempts: sql`${table.attempts} + 1`, nextAttemptAt })
          // As an array it is looked up once; as a set it may be joined, and its limit taken anew for every row.
          .where(sql`${table.id} = any(array${due})`)
          .returning(),
      );
      const mails = await Promise.all((rows ?? []).map((row) => open({ ...row, table })));
      // In the order they were written, as far as it is up to us.
      return mails.sort((a, b) => (a.id < b.id ? -1 : 1));
    },
    erase: async ({ id, table }) => (await attempt(async () => erasers.get(table)?.(id))) ?? false,
    async drop(mail) {
      const { table } = mail;
      const gone = await attempt(() => db.delete(table).where(same(mail)).returning({ id: table.id }));
      return gone !== undefined && gone.length > 0;
    },
    async postpone(mail, nextAttemptAt) {
      await attempt(() => db.update(mail.table).set({ nextAttemptAt }).where(same(mail)));
    },
  };
}

type Clear = Pick<typeof mailQueue.$inferSelect, 'recipient' | 'subject' | 'html' | 'text' | 'link'>;
