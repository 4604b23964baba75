import { type SQL, sql } from 'drizzle-orm';
import type { Tx } from '../../db/client.ts';
import type { NewId } from '../../db/ids.ts';
import { outgoingMails } from '../../db/schema/platform.ts';
import { arrayText, run } from '../../db/statements.ts';
import { sha256Hex } from '../crypto/random.ts';
import type { SecretBox } from '../crypto/secret-box.ts';

/*
 * A digest is a mail to a member that collects notices until it is due. While it does, only the notices are stored. The address and the
 * mail are made when it is sent, of the notices that the member may still read then.
 */

/** `now`: the notices beyond the quota of mails. */
export const DIGEST_TIMES = ['now', 'daily', 'weekly'] as const;

export type DigestTime = (typeof DIGEST_TIMES)[number];

/** A notice in a digest. */
export interface DigestNotice {
  /** The kinds of mails that the member has chosen it by. */
  kinds: readonly string[];
  /** Absent: about the account itself. */
  orgId?: string | undefined;
  /** Absent: about the organization itself, or the account. */
  projectId?: string | undefined;
  /** Texts from others in it are cut and have no links. */
  text: string;
  /** The page in the web UI. */
  url: string;
}

/** The content of a digest. */
export interface Digest {
  userId: string;
  time: DigestTime;
  notices: readonly DigestNotice[];
  /** Further ones were left out. */
  hasMore?: boolean;
}

/** A notice, and the digest that it is added to. */
export interface NewNotice {
  userId: string;
  time: DigestTime;
  /** When the digest is sent, if this notice begins it. */
  dueAt: Date;
  notice: DigestNotice;
}

/** The most notices that a digest lists, and those of one organization, which can cause any number. */
const MOST_LISTED = 100;
const MOST_OF_ORG = 50;

/** Digests that a statement writes. One can have 50 KiB. */
const AT_ONCE = 50;

/** The value of `outgoing_mails.collects`. */
const keyOf = (userId: string, time: DigestTime): string => sha256Hex(`notifications ${userId} ${time}`);

/** Whether a mail in the queue is a digest of one of some accounts. */
export const isDigestOf = (userIds: readonly string[]): SQL => {
  const keys = userIds.flatMap((userId) => DIGEST_TIMES.map((time) => keyOf(userId, time)));
  return sql`${outgoingMails.collects} = any (${arrayText(keys)}::text[])`;
};

function withNotices(digest: Digest, added: readonly NewNotice[]): Digest {
  const notices = [...digest.notices];
  let hasMore = digest.hasMore ?? false;
  for (const { notice } of added) {
    const ofOrg = notices.filter(({ orgId }) => orgId === notice.orgId).length;
    if (notices.length < MOST_LISTED && ofOrg < MOST_OF_ORG) notices.push(notice);
    else hasMore = true;
  }
  return { ...digest, notices, hasMore };
}

const isFull = ({ notices, hasMore }: Digest): boolean => notices.length >= MOST_LISTED && hasMore === true;

/**
 * Adds notices to the digests that collect them, or begins such digests. Part of the caller's transaction; those of others with notices
 * for the same digest wait for it.
 */
export async function collectNotices(
  tx: Tx,
  context: { box: SecretBox; nextId: () => NewId },
  notices: readonly NewNotice[],
): Promise<void> {
  const byKey = new Map<string, NewNotice[]>();
  for (const notice of notices) {
    const key = keyOf(notice.userId, notice.time);
    const others = byKey.get(key);
    if (others) others.push(notice);
    else byKey.set(key, [notice]);
  }
  // In one order, so that transactions do not wait for each other in a circle.
  const groups = [...byKey].toSorted(([a], [b]) => (a < b ? -1 : 1));
  for (let i = 0; i < groups.length; i += AT_ONCE)
    await collectGroups(tx, context, new Map(groups.slice(i, i + AT_ONCE)));
}

async function collectGroups(
  tx: Tx,
  { box, nextId }: { box: SecretBox; nextId: () => NewId },
  groups: ReadonlyMap<string, readonly NewNotice[]>,
): Promise<void> {
  const begin = (added: readonly NewNotice[]): Digest => {
    const [first] = added;
    if (!first) throw new Error('a digest collects no notice');
    return withNotices({ userId: first.userId, time: first.time, notices: [] }, added);
  };
  const stored = async (id: string, digest: Digest) => ({
    ...{ id, isFull: isFull(digest) },
    sealed: await box.seal(JSON.stringify(digest), id),
  });
  const rows = await Promise.all(
    [...groups].map(async ([key, added]) => {
      const { id, at } = nextId();
      const times = { nextAttemptAt: added[0]?.dueAt ?? at, createdAt: at };
      return { ...(await stored(id, begin(added))), ...times, collects: key, isBulk: true };
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
      setWhere: sql`not ${outgoingMails.isFull}`,
    })
    .returning({ id: outgoingMails.id, sealed: outgoingMails.sealed, key: outgoingMails.collects });
  const changed = await Promise.all(
    found
      .filter(({ id }) => !isNew.has(id))
      .map(async ({ id, sealed, key }) => {
        const added = groups.get(key ?? '') ?? [];
        const earlier = await openDigest(box, id, sealed);
        if (!earlier) return [await stored(id, begin(added))];
        const digest = withNotices(earlier, added);
        const isSame =
          digest.notices.length === earlier.notices.length && digest.hasMore === (earlier.hasMore ?? false);
        return isSame ? [] : [await stored(id, digest)];
      }),
  );
  const updates = changed.flat();
  if (updates.length === 0) return;
  await run(
    tx,
    sql`update ${outgoingMails} set sealed = c.sealed, is_full = c."isFull"
      from json_to_recordset(${JSON.stringify(updates)}::text::json) as c(id uuid, sealed text, "isFull" boolean)
      where ${outgoingMails.id} = c.id`,
  );
}

/** @returns undefined if no key opens it, so that it cannot be sent: the new notices take its place */
const openDigest = (box: SecretBox, id: string, sealed: string): Promise<Digest | undefined> =>
  box.open(sealed, id).then(
    (text) => JSON.parse(text) as Digest,
    () => undefined,
  );
