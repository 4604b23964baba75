import { and, asc, eq, lte, sql } from 'drizzle-orm';
import { createBatcher } from '../../db/batcher.ts';
import type { Db, Tx } from '../../db/client.ts';
import type { NewId } from '../../db/ids.ts';
import { mailQueue, outgoingMails } from '../../db/schema/platform.ts';
import { arrayText } from '../../db/statements.ts';
import type { SecretBox } from '../crypto/secret-box.ts';
import { LEASE_MS } from '../deliveries/dispatcher.ts';
import type { Logger } from '../logger.ts';
import { type CollectedNotice, collectNotices, sealMail } from './collect.ts';
import type { Mail, MailContent } from './mailer.ts';

/** `mailQueue` has unencrypted mails of servers of the previous version. */
export type MailTable = typeof outgoingMails | typeof mailQueue;

/** Whether a mail is sent as it is: it never collected notices, or a process has leased it since. */
export const collectsNoMore = sql`(${outgoingMails.collects} is null or ${outgoingMails.attempts} > 0)`;

/** Mails that a statement writes. */
const AT_ONCE = 200;

/** A leased mail. */
export interface QueuedMail {
  id: string;
  attempts: number;
  createdAt: Date;
  table: MailTable;
  /** The decrypted mail, or why it cannot be decrypted. */
  content: Mail | Error;
}

/** The rows of `shared.outgoing_mails`. If the database fails, `lease` and the methods after it do nothing and log it once. */
export interface QueuedMails {
  /** Writes a mail, in the caller's transaction. @returns its id */
  write(tx: Db | Tx, recipient: string, content: MailContent): Promise<string>;
  /** The same for several mails. */
  writeAll(tx: Tx, mails: readonly NewMail[]): Promise<void>;
  /**
   * Adds notices to the mails that collect those with their keys, or begins such mails, in the order of the keys. Part of the caller's
   * transaction; those of others with the same key wait for it.
   */
  collect(tx: Tx, notices: readonly CollectedNotice[]): Promise<void>;
  /** Writes a mail and deletes it. */
  pretend(tx: Tx, content: MailContent): Promise<void>;
  /** Leases due mails. They are due again when the lease expires. */
  lease(limit: number, table?: MailTable): Promise<QueuedMail[]>;
  /** Extends the leases of mails, unless other processes have leased them meanwhile. */
  renew(mails: readonly QueuedMail[]): Promise<void>;
  /** Deletes a mail that was sent. @returns whether the statement succeeded */
  erase(mail: QueuedMail): Promise<boolean>;
  /** Deletes a mail that cannot be sent, unless another process has leased it meanwhile. @returns whether it was deleted */
  drop(mail: QueuedMail): Promise<boolean>;
  /** Sets the next attempt of a mail, unless another process has leased it meanwhile. */
  postpone(mail: QueuedMail, nextAttemptAt: Date): Promise<void>;
}

/** A mail to be written. */
export interface NewMail {
  recipient: string;
  content: MailContent;
}

export interface QueuedMailsOptions {
  db: Db;
  /** Encrypts mails, each bound to its row. */
  box: SecretBox;
  log: Logger;
  clock: () => Date;
  nextId: () => NewId;
}

export function createQueuedMails({ db, box, log, clock, nextId }: QueuedMailsOptions): QueuedMails {
  let isFailing = false;

  /** Deletes mails in batches: one statement deletes all that were sent while the previous one ran. */
  const eraserOf = (table: MailTable) =>
    createBatcher<string, true>({
      maxItems: 1_000,
      async run(ids) {
        await db.delete(table).where(sql`${table.id} = any (${arrayText(ids)}::uuid[])`);
        return ids.map(() => true);
      },
    });
  const erasers = new Map([outgoingMails, mailQueue].map((table) => [table as MailTable, eraserOf(table)]));

  /** @returns undefined when the statement fails */
  async function attempt<T>(statement: () => PromiseLike<T>): Promise<T | undefined> {
    try {
      const result = await statement();
      isFailing = false;
      return result;
    } catch (error) {
      if (!isFailing) log.warn('the mail queue is out of reach', { error });
      isFailing = true;
      return undefined;
    }
  }

  /** Matches a mail only if no other process has leased it since: a lease increments `attempts`. */
  const isUnchanged = ({ id, attempts, table }: QueuedMail) =>
    and(eq(table.id, id), eq(table.attempts, attempts));

  const collect = (tx: Tx, notices: readonly CollectedNotice[]) =>
    collectNotices(tx, { box, nextId }, notices);

  async function rowOf({ recipient, content }: NewMail) {
    const { id, at } = nextId();
    return { id, sealed: await sealMail(box, id, recipient, content), nextAttemptAt: at, createdAt: at };
  }

  async function write(tx: Db | Tx, recipient: string, content: MailContent): Promise<string> {
    const row = await rowOf({ recipient, content });
    await tx.insert(outgoingMails).values(row);
    return row.id;
  }

  async function writeAll(tx: Tx, mails: readonly NewMail[]): Promise<void> {
    for (let i = 0; i < mails.length; i += AT_ONCE) {
      const rows = await Promise.all(mails.slice(i, i + AT_ONCE).map(rowOf));
      await tx.insert(outgoingMails).values(rows);
    }
  }

  async function open(row: Omit<QueuedMail, 'content'> & ({ sealed: string } | Unencrypted)) {
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
    write,
    writeAll,
    collect,
    async pretend(tx, content) {
      const id = await write(tx, 'nobody@invalid', content);
      await tx.delete(outgoingMails).where(eq(outgoingMails.id, id));
    },
    async lease(limit, table = outgoingMails) {
      const now = clock();
      const due = db
        .select({ id: table.id })
        .from(table)
        .where(lte(table.nextAttemptAt, now))
        .orderBy(asc(table.nextAttemptAt))
        .limit(limit)
        .for('update', { skipLocked: true });
      const nextAttemptAt = new Date(now.getTime() + LEASE_MS);
      // The age of a mail that has collected notices counts from when it was due.
      const createdAt = sql`case when ${table.attempts} = 0 then greatest(${table.createdAt}, ${table.nextAttemptAt}) else ${table.createdAt} end`;
      const rows = await attempt<(typeof outgoingMails.$inferSelect | typeof mailQueue.$inferSelect)[]>(() =>
        db
          .update(table)
          .set({ attempts: sql`${table.attempts} + 1`, nextAttemptAt, createdAt })
          // An array is computed once. A plain subquery may become a join, which applies the limit again for every row.
          .where(sql`${table.id} = any(array${due})`)
          .returning(),
      );
      const mails = await Promise.all((rows ?? []).map((row) => open({ ...row, table })));
      // UUID v7: the order in which the mails were written.
      return mails.sort((a, b) => (a.id < b.id ? -1 : 1));
    },
    async renew(mails) {
      const until = new Date(clock().getTime() + LEASE_MS).toISOString();
      for (const mail of mails) {
        // Not earlier: the mail may have been postponed meanwhile.
        const nextAttemptAt = sql`greatest(${mail.table.nextAttemptAt}, ${until}::timestamptz)`;
        await attempt(() => db.update(mail.table).set({ nextAttemptAt }).where(isUnchanged(mail)));
      }
    },
    erase: async ({ id, table }) => (await attempt(async () => erasers.get(table)?.(id))) ?? false,
    async drop(mail) {
      const { table } = mail;
      const deleted = await attempt(() =>
        db.delete(table).where(isUnchanged(mail)).returning({ id: table.id }),
      );
      return deleted !== undefined && deleted.length > 0;
    },
    async postpone(mail, nextAttemptAt) {
      await attempt(() => db.update(mail.table).set({ nextAttemptAt }).where(isUnchanged(mail)));
    },
  };
}

type Unencrypted = Pick<typeof mailQueue.$inferSelect, 'recipient' | 'subject' | 'html' | 'text' | 'link'>;
