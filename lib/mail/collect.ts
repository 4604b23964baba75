import { eq, sql } from 'drizzle-orm';
import type { Tx } from '../../db/client.ts';
import type { NewId } from '../../db/ids.ts';
import { outgoingMails } from '../../db/schema/platform.ts';
import type { SecretBox } from '../crypto/secret-box.ts';
import type { Mail, MailContent } from './mailer.ts';
import { addNotice, type Collected, collected } from './templates/collected.ts';

/** A mail that collects notices to an owner of an organization. */
export interface Collection {
  key: string;
  /** When the mail is sent, if this notice begins it. */
  dueAt: Date;
}

/** Encrypts a mail, bound to its row. */
export function sealMail(
  box: SecretBox,
  id: string,
  recipient: string,
  content: MailContent,
  notices?: Collected,
): Promise<string> {
  const { subject, html, text, link, headers } = content;
  const mail: Mail & { notices?: Collected } = { recipient, subject, html, text, link, headers };
  return box.seal(JSON.stringify(notices ? { ...mail, notices } : mail), id);
}

/** Adds a notice to the mail that collects those with its key, or begins such a mail. */
export async function collectNotice(
  tx: Tx,
  { box, nextId }: { box: SecretBox; nextId: () => NewId },
  { recipient, content, key, dueAt }: Collection & { recipient: string; content: MailContent },
): Promise<void> {
  const { id, at } = nextId();
  const first = addNotice(undefined, content);
  const sealed = await sealMail(box, id, recipient, collected(first), first);
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
    .set({ sealed: await sealMail(box, mail.id, recipient, collected(all), all) })
    .where(eq(outgoingMails.id, mail.id));
}
