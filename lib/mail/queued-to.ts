import { and, asc, eq, gt, isNull, lt, not, or } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { outgoingMails } from '../../db/schema/platform.ts';
import type { SecretBox } from '../crypto/secret-box.ts';
import { isDigestOf } from './digests.ts';
import type { Mail } from './mailer.ts';

/** Mails that are read at once. One can have 100 KiB. */
const PAGE = 50;

/** A mail in the queue to one of some addresses. */
export interface MailTo {
  id: string;
  recipient: string;
  subject: string;
  createdAt: Date;
}

interface Queue {
  db: Db;
  box: SecretBox;
}

/** Digests have no address until they are sent. */
const hasAddress = or(not(outgoingMails.isBulk), isNull(outgoingMails.collects));

/** Finds mails in the queue to some addresses. Recipients are encrypted, so all mails are opened, about 20 µs each. */
export async function* queuedTo(
  { db, box }: Queue,
  addresses: readonly string[],
  before: Date,
): AsyncGenerator<MailTo> {
  if (addresses.length === 0) return;
  const wanted = new Set(addresses);
  for (let last: string | undefined; ; ) {
    const page = await db
      .select({ id: outgoingMails.id, sealed: outgoingMails.sealed, createdAt: outgoingMails.createdAt })
      .from(outgoingMails)
      .where(
        and(lt(outgoingMails.createdAt, before), hasAddress, last ? gt(outgoingMails.id, last) : undefined),
      )
      .orderBy(asc(outgoingMails.id))
      .limit(PAGE);
    for (const { id, sealed, createdAt } of page) {
      // A mail that no key opens cannot be sent either, and is deleted by the queue.
      const mail = await box.open(sealed, id).then(
        (text) => JSON.parse(text) as Mail,
        () => undefined,
      );
      if (!mail || !wanted.has(mail.recipient.toLowerCase())) continue;
      yield { id, recipient: mail.recipient, subject: mail.subject, createdAt };
    }
    last = page.at(-1)?.id;
    if (page.length < PAGE) return;
  }
}

/** Deletes the mails in the queue to some addresses. @param before by address: mails that are younger stay */
export async function eraseQueuedTo(queue: Queue, before: ReadonlyMap<string, Date>): Promise<void> {
  const latest = new Date(Math.max(...[...before.values()].map(Number)));
  for await (const { id, recipient, createdAt } of queuedTo(queue, [...before.keys()], latest)) {
    const end = before.get(recipient.toLowerCase());
    if (end && createdAt < end) await queue.db.delete(outgoingMails).where(eq(outgoingMails.id, id));
  }
}

/** When the digests of an account began to collect notices. */
export const readDigestsOf = (db: Db, userId: string): Promise<{ createdAt: Date }[]> =>
  db
    .select({ createdAt: outgoingMails.createdAt })
    .from(outgoingMails)
    .where(isDigestOf([userId]))
    .orderBy(asc(outgoingMails.id));

/** Deletes the digests of accounts. */
export async function eraseDigestsOf(db: Db, userIds: readonly string[]): Promise<void> {
  await db.delete(outgoingMails).where(isDigestOf(userIds));
}
