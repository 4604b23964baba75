import { and, asc, eq, lte, sql } from 'drizzle-orm';
import { createBatcher } from '../../db/batcher.ts';
import type { Db, Tx } from '../../db/client.ts';
import type { NewId } from '../../db/ids.ts';
import { mailQueue, outgoingMails } from '../../db/schema/platform.ts';
import { arrayText } from '../../db/statements.ts';
import type { SecretBox } from '../crypto/secret-box.ts';
import { LEASE_MS } from '../deliveries/dispatcher.ts';
import type { Logger } from '../logger.ts';
import type { Mail, MailContent } from './mailer.ts';
import { addNotice, type Collected, collected } from './templates/collected.ts';

/** `mailQueue` has unencrypted mails of servers of the previous version. */
export type MailTable = typeof outgoingMails | typeof mailQueue;

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
  /**
   * Adds a notice to the mail that collects those with a key, or begins one. Part of the caller's transaction; those of others with the
   * same key wait for it.
   */
  collect(tx: Tx, recipient: string, content: MailContent, until: Collection): Promise<void>;
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

/** A mail that collects notices. */
export interface Collection {
  key: string;
  /** When the mail is sent, if this notice begins it. */
  dueAt: Date;
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

  function seal(id: string, recipient: string, content: MailContent, notices?: Collected): Promise<string> {
    const { subject, html, text, link } = content;
    const mail: Mail & { notices?: Collected } = { recipient, subject, html, text, link };
    return box.seal(JSON.stringify(notices ? { ...mail, notices } : mail), id);
  }

  async function collect(tx: Tx, recipient: string, content: MailContent, { key, dueAt }: Collection) {
    const { id, at } = nextId();
    const first = addNotice(undefined, content);
    const sealed = await seal(id, recipient, collected(first), first);
    const [mail] = await tx
      .insert(outgoingMails)
      .values({ id, sealed, nextAttemptAt: dueAt, createdAt: at, collects: key })
      .onConflictDoUpdate({
        target: outgoingMails.collects,
        targetWhere: sql`attempts = 0`,
        // Locks it until the transaction ends.
        set: { collects: key },
      })
      .returning({ id: outgoingMails.id, sealed: outgoingMails.sealed });
    if (!mail || mail.id === id) return;
    // A mail that no key opens cannot be sent. This notice takes its place.
    const earlier = await box.open(mail.sealed, mail.id).then(
      (text) => (JSON.parse(text) as { notices?: Collected }).notices,
      () => undefined,
    );
    const all = addNotice(earlier, content);
    await tx
      .update(outgoingMails)
      .set({ sealed: await seal(mail.id, recipient, collected(all), all) })
      .where(eq(outgoingMails.id, mail.id));
  }

  async function write(tx: Db | Tx, recipient: string, content: MailContent): Promise<string> {
    const { id, at } = nextId();
    const sealed = await seal(id, recipient, content);
    await tx.insert(outgoingMails).values({ id, sealed, nextAttemptAt: at, createdAt: at });
    return id;
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
      const rows = await attempt<(typeof outgoingMails.$inferSelect | typeof mailQueue.$inferSelect)[]>(() =>
        db
          .update(table)
          .set({ attempts: sql`${table.attempts} + 1`, nextAttemptAt })
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
