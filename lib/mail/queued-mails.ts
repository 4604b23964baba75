import { and, asc, eq, lte, not, type SQL, sql } from 'drizzle-orm';
import { createBatcher } from '../../db/batcher.ts';
import type { Db, Tx } from '../../db/client.ts';
import type { NewId } from '../../db/ids.ts';
import { mailQueue, outgoingMails } from '../../db/schema/platform.ts';
import { arrayText } from '../../db/statements.ts';
import type { SecretBox } from '../crypto/secret-box.ts';
import { LEASE_MS } from '../deliveries/dispatcher.ts';
import type { Logger } from '../logger.ts';
import { type Collection, collectNotice, sealMail } from './collect.ts';
import { collectNotices, type Digest, type NewNotice } from './digests.ts';
import type { Mail, MailContent } from './mailer.ts';

/** `mailQueue` has unencrypted mails of servers of the previous version. */
export type MailTable = typeof outgoingMails | typeof mailQueue;

/** Whether a mail is sent as it is: it never collected notices, or a process has leased it since. */
export const collectsNoMore = sql`(${outgoingMails.collects} is null or ${outgoingMails.attempts} > 0)`;

/** Mails that a statement writes. They are rendered right before. */
const AT_ONCE = 50;

/** `bulk`: mails of which there may be very many at once. `legacy`: those in `mail_queue`. */
export type MailClass = 'urgent' | 'bulk' | 'legacy';

const CLASSES = {
  urgent: { table: outgoingMails, where: not(outgoingMails.isBulk) },
  bulk: { table: outgoingMails, where: eq(outgoingMails.isBulk, true) },
  legacy: { table: mailQueue, where: undefined },
} as const;

/** A leased mail. */
export interface QueuedMail {
  id: string;
  attempts: number;
  createdAt: Date;
  table: MailTable;
  /** The decrypted mail, or why it cannot be decrypted. A digest is rendered by its sender. */
  content: Mail | Digest | Error;
}

/** The rows of `shared.outgoing_mails`. If the database fails, `lease` and the methods after it do nothing and log it once. */
export interface QueuedMails {
  /** Writes a mail, in the caller's transaction. @returns its id */
  write(tx: Db | Tx, recipient: string, content: MailContent): Promise<string>;
  /** Writes mails that others overtake. */
  writeBulk(tx: Tx, mails: readonly NewMail[]): Promise<void>;
  /** Adds a notice to the mail that collects those with its key, or begins such a mail, in the caller's transaction. */
  collect(tx: Tx, recipient: string, content: MailContent, until: Collection): Promise<void>;
  /** Adds notices to digests, in the caller's transaction. */
  collectForDigests(tx: Tx, notices: readonly NewNotice[]): Promise<void>;
  /** Writes a mail and deletes it. */
  pretend(tx: Tx, content: MailContent): Promise<void>;
  /** Leases due mails of a class. They are due again when the lease expires. */
  lease(limit: number, of: MailClass): Promise<QueuedMail[]>;
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
  render: () => MailContent;
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

  async function rowOf(recipient: string, content: MailContent) {
    const { id, at } = nextId();
    return { id, sealed: await sealMail(box, id, recipient, content), nextAttemptAt: at, createdAt: at };
  }

  async function write(tx: Db | Tx, recipient: string, content: MailContent): Promise<string> {
    const row = await rowOf(recipient, content);
    await tx.insert(outgoingMails).values(row);
    return row.id;
  }

  async function writeBulk(tx: Tx, mails: readonly NewMail[]): Promise<void> {
    for (let i = 0; i < mails.length; i += AT_ONCE) {
      const batch = mails.slice(i, i + AT_ONCE);
      const rows = await Promise.all(batch.map(({ recipient, render }) => rowOf(recipient, render())));
      await tx.insert(outgoingMails).values(rows.map((row) => ({ ...row, isBulk: true })));
    }
  }

  async function open(
    row: Omit<QueuedMail, 'content'> & ({ sealed: string } | Unencrypted),
  ): Promise<QueuedMail> {
    const { id, attempts, createdAt, table } = row;
    const content =
      'sealed' in row
        ? await box.open(row.sealed, id).then(
            (text) => JSON.parse(text) as Mail | Digest,
            (cause) => new Error(`the mail cannot be opened: ${cause.message}`, { cause }),
          )
        : { ...row, link: row.link ?? undefined };
    return { id, attempts, createdAt, table, content };
  }

  return {
    write,
    writeBulk,
    collect: (tx, recipient, content, until) =>
      collectNotice(tx, { box, nextId }, { recipient, content, ...until }),
    collectForDigests: (tx, notices) => collectNotices(tx, { box, nextId }, notices),
    async pretend(tx, content) {
      const id = await write(tx, 'nobody@invalid', content);
      await tx.delete(outgoingMails).where(eq(outgoingMails.id, id));
    },
    async lease(limit, of) {
      const { table, where }: { table: MailTable; where: SQL | undefined } = CLASSES[of];
      const now = clock();
      const due = db
        .select({ id: table.id })
        .from(table)
        .where(and(lte(table.nextAttemptAt, now), where))
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
