import { sql } from 'drizzle-orm';
import type { Tx } from '../../db/client.ts';
import type { NewId } from '../../db/ids.ts';
import { outgoingMails } from '../../db/schema/platform.ts';
import { run } from '../../db/statements.ts';
import type { SecretBox } from '../crypto/secret-box.ts';
import type { Mail, MailContent } from './mailer.ts';
import { addNotice, type Collected, collected, type Notice } from './templates/collected.ts';

/** A mail that collects notices. */
export interface Collection {
  key: string;
  /** When the mail is sent, if this notice begins it. */
  dueAt: Date;
}

/** A notice, and the mail that collects it. */
export interface CollectedNotice extends Collection {
  recipient: string;
  notice: Notice;
}

interface Context {
  box: SecretBox;
  nextId: () => NewId;
}

/** Mails that a statement writes. One that collects notices can have 100 KiB. */
const AT_ONCE = 200;

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

/** Adds notices to the mails that collect those with their keys, or begins such mails. */
export async function collectNotices(
  tx: Tx,
  context: Context,
  notices: readonly CollectedNotice[],
): Promise<void> {
  const byKey = new Map<string, CollectedNotice[]>();
  for (const notice of notices) {
    const others = byKey.get(notice.key);
    if (others) others.push(notice);
    else byKey.set(notice.key, [notice]);
  }
  // In one order, so that transactions do not wait for each other in a circle.
  const groups = [...byKey].toSorted(([a], [b]) => (a < b ? -1 : 1));
  for (let i = 0; i < groups.length; i += AT_ONCE)
    await collectGroups(tx, context, new Map(groups.slice(i, i + AT_ONCE)));
}

async function collectGroups(
  tx: Tx,
  { box, nextId }: Context,
  groups: ReadonlyMap<string, readonly CollectedNotice[]>,
): Promise<void> {
  const sealed = (id: string, added: readonly CollectedNotice[], earlier?: Collected) => {
    const all = added.reduce<Collected | undefined>((sum, { notice }) => addNotice(sum, notice), earlier);
    if (!all) throw new Error('a mail collects no notice');
    return sealMail(box, id, added.at(-1)?.recipient ?? '', collected(all), all);
  };
  const rows = await Promise.all(
    [...groups].map(async ([key, added]) => {
      const { id, at } = nextId();
      const dueAt = added[0]?.dueAt ?? at;
      return { id, sealed: await sealed(id, added), nextAttemptAt: dueAt, createdAt: at, collects: key };
    }),
  );
  const isNew = new Set(rows.map(({ id }) => id));
  const found = await tx
    .insert(outgoingMails)
    .values(rows)
    .onConflictDoUpdate({
      target: outgoingMails.collects,
      targetWhere: sql`attempts = 0`,
      // Locks them until the transaction ends.
      set: { collects: sql`excluded.collects` },
    })
    .returning({ id: outgoingMails.id, sealed: outgoingMails.sealed, key: outgoingMails.collects });
  const changed = await Promise.all(
    found
      .filter(({ id }) => !isNew.has(id))
      .map(async ({ id, sealed: former, key }) => {
        // A mail that no key opens cannot be sent. These notices take its place.
        const earlier = await box.open(former, id).then(
          (text) => (JSON.parse(text) as { notices?: Collected }).notices,
          () => undefined,
        );
        return { id, sealed: await sealed(id, groups.get(key ?? '') ?? [], earlier) };
      }),
  );
  if (changed.length === 0) return;
  await run(
    tx,
    sql`update ${outgoingMails} set sealed = c.sealed
      from json_to_recordset(${JSON.stringify(changed)}::text::json) as c(id uuid, sealed text) where ${outgoingMails.id} = c.id`,
  );
}
