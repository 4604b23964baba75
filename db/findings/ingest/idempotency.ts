import { sql } from 'drizzle-orm';
import { BATCH_ROWS } from '../../batches.ts';
import type { OrgTables } from '../../schema/org.ts';
import { orgStatement, run, type SqlClient } from '../../statements.ts';

/*
 * A request with an idempotency key writes each of its pushes once, however often it is sent. The statement that writes a
 * group of pushes also stores the outcomes of the group under the key. If the process dies, a repeated request writes the
 * groups that are missing. If the request is sent twice at the same instant, the primary key refuses the second group, and
 * its statement writes nothing.
 */

/** How long keys are kept. */
export const KEY_TTL_MS = 24 * 60 * 60 * 1_000;
export const MAX_KEY_CHARACTERS = 128;

/** What identifies a group of pushes in a repeated request. */
export interface GroupRecord {
  key: string;
  /** Position in the request's list for each push of the group. */
  positions: readonly number[];
  /**
   * Whether it is the first group of its request. The request writes this group before the others, so that of two requests with
   * the same key and different bodies only one writes anything.
   */
  isFirst: boolean;
  /** SHA-256, hex, of what the request asked for. */
  bodyHash: string;
}

/** The outcome of a push as it is stored. */
export type StoredOutcome =
  | { kind: 'written'; deduplicated: boolean; id: string; regressed: boolean }
  | { kind: 'no_scan' }
  | { kind: 'other_project' };

/** The position under which a group is stored. */
const positionOf = ({ positions, isFirst }: GroupRecord): number => (isFirst ? 0 : (positions[0] ?? 0));

/** The record of one push of a group. */
export const partOf = (record: GroupRecord, index: number): GroupRecord => ({
  ...record,
  positions: record.positions.slice(index, index + 1),
  isFirst: record.isFirst && index === 0,
});

/** The records of a statement. `first` and `last` are the positions of a group's pushes in the statement. */
export function recordsOf(
  groups: readonly { pushes: readonly unknown[]; record?: GroupRecord | undefined }[],
) {
  let next = 0;
  return groups.flatMap(({ pushes, record }) => {
    const first = next;
    next += pushes.length;
    if (!record) return [];
    const { key, positions, bodyHash: body_hash } = record;
    return [{ key, position: positionOf(record), positions, body_hash, first, last: next - 1 }];
  });
}

const recordedStatement = orgStatement<{ key: string; position: number }, object>(
  ({ idempotencyKeys }, $) => sql`
select 1 from ${idempotencyKeys} where key = ${$.key} and position = ${$.position}`,
);

/** Whether the group has been recorded before. */
export async function isRecorded(
  client: SqlClient,
  tables: OrgTables,
  record: GroupRecord,
): Promise<boolean> {
  const { key } = record;
  return (await recordedStatement(tables).run(client, { key, position: positionOf(record) })).length > 0;
}

interface StoredRow {
  body_hash: string;
  /** For each push: position, whether its scan exists, and what `WrittenRow` says. */
  outcomes: [number, boolean, boolean | null, string | null, boolean | null][];
}

const storedStatement = orgStatement<{ key: string; since: string }, StoredRow>(
  ({ idempotencyKeys }, $) => sql`
with old as (
  delete from ${idempotencyKeys} where key = ${$.key} and created_at < ${$.since}::timestamptz
)
select body_hash, outcomes from ${idempotencyKeys}
where key = ${$.key} and created_at >= ${$.since}::timestamptz`,
);

/** What is stored under a key. */
export interface StoredBatch {
  /** Undefined if nothing is stored. */
  bodyHash: string | undefined;
  /** By position in the request. */
  outcomes: Map<number, StoredOutcome>;
}

/** Reads what is stored under a key, and deletes entries that are too old to count. */
export async function readStored(
  client: SqlClient,
  tables: OrgTables,
  { key, now }: { key: string; now: Date },
): Promise<StoredBatch> {
  const since = new Date(now.getTime() - KEY_TTL_MS).toISOString();
  const rows = await storedStatement(tables).run(client, { key, since });
  const outcomes = new Map<number, StoredOutcome>();
  for (const row of rows) {
    for (const [position, hasScan, deduplicated, id, regressed] of row.outcomes) {
      outcomes.set(position, storedOutcome(hasScan, deduplicated, id, regressed));
    }
  }
  return { bodyHash: rows[0]?.body_hash, outcomes };
}

function storedOutcome(
  hasScan: boolean,
  deduplicated: boolean | null,
  id: string | null,
  regressed: boolean | null,
): StoredOutcome {
  if (!hasScan) return { kind: 'no_scan' };
  if (deduplicated === null || id === null) return { kind: 'other_project' };
  return { kind: 'written', deduplicated, id, regressed: regressed === true };
}

/** Records a request that has nothing to write, unless its key has been used. */
export async function recordNothing(
  client: SqlClient,
  { idempotencyKeys }: OrgTables,
  { key, bodyHash, now }: { key: string; bodyHash: string; now: Date },
): Promise<void> {
  await run(
    client,
    sql`insert into ${idempotencyKeys} (key, position, body_hash, created_at, outcomes)
    values (${key}, 0, ${bodyHash}, ${now.toISOString()}::timestamptz, '[]') on conflict do nothing`,
  );
}

/** Deletes up to {@link BATCH_ROWS} entries that are too old to count, of all keys. */
export async function deleteOldKeys(client: SqlClient, tables: OrgTables, now: Date): Promise<void> {
  const { idempotencyKeys: keys } = tables;
  const before = new Date(now.getTime() - KEY_TTL_MS).toISOString();
  await run(
    client,
    sql`delete from ${keys} where (key, position) in (
      select key, position from ${keys} where created_at < ${before}::timestamptz limit ${BATCH_ROWS} for update skip locked)`,
  );
}
