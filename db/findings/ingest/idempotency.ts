import { sql } from 'drizzle-orm';
import { BATCH_ROWS } from '../../batches.ts';
import type { OrgTables } from '../../schema/org.ts';
import type { FindingStatus } from '../../schema/values.ts';
import { orgStatement, run, type SqlClient } from '../../statements.ts';
import type { PushOutcome } from './push.ts';

/*
 * A request with an idempotency key claims the key for its body, then writes its pushes. The statement that writes a push
 * also records the outcome under the key and its position in the request. A repeated request gets the recorded outcomes and
 * writes the pushes that are missing, because the process died. If a request is sent twice at the same instant, the primary
 * key refuses pushes that the other one has written: their statement writes nothing, and they get the recorded outcomes.
 */

/** How long keys are kept. */
export const KEY_TTL_MS = 24 * 60 * 60 * 1_000;

const before = (now: Date): string => new Date(now.getTime() - KEY_TTL_MS).toISOString();

/** A request with an idempotency key. */
export interface KeyedRequest {
  /** The idempotency key, as a UUID of its hash. */
  key: string;
  /** UUID of a hash of the request. */
  body: string;
  now: Date;
}

/** The request to which a key belongs. */
export interface Claim {
  body: string;
  /** When the key was claimed, as PostgreSQL writes it. */
  created_at: string;
  /** Whether this request is the first one with the key. */
  is_new: boolean;
}

const claimStatement = orgStatement<Omit<KeyedRequest, 'now'> & { now: string; before: string }, Claim>(
  ({ idempotencyKeys }, $) => sql`
with forgotten as (
  delete from ${idempotencyKeys} where key = ${$.key}::uuid and position >= 0 and created_at < ${$.before}::timestamptz
), claim as (
  insert into ${idempotencyKeys} as k (key, position, created_at, body)
  values (${$.key}::uuid, -1, ${$.now}::timestamptz, ${$.body}::uuid)
  on conflict (key, position) do update set created_at = excluded.created_at, body = excluded.body
  where k.created_at < ${$.before}
  returning body, created_at
)
select body, created_at, true as is_new from claim
union all
select body, created_at, false from ${idempotencyKeys}
where key = ${$.key}::uuid and position = -1 and created_at >= ${$.before}::timestamptz`,
);

/** Claims a key for a request. @returns the claim of the first request with this key */
export async function claimKey(client: SqlClient, tables: OrgTables, request: KeyedRequest): Promise<Claim> {
  const { key, body, now } = request;
  const params = { key, body, now: now.toISOString(), before: before(now) };
  for (;;) {
    const [claim] = await claimStatement(tables).run(client, params);
    if (claim) return claim;
    // Another request claimed the key after this statement began; the next one sees its row.
  }
}

interface StoredRow {
  position: number;
  has_scan: boolean;
  finding_id: string | null;
  deduplicated: boolean | null;
  regressed: boolean | null;
  status: FindingStatus;
}

const outcomesStatement = orgStatement<{ key: string }, StoredRow>(
  ({ idempotencyKeys }, $) => sql`
select position, has_scan, finding_id, deduplicated, regressed, status from ${idempotencyKeys}
where key = ${$.key}::uuid and position >= 0`,
);

/** Reads the outcomes of a claimed key, by position in the request. */
export async function readOutcomes(
  client: SqlClient,
  tables: OrgTables,
  key: string,
): Promise<Map<number, PushOutcome>> {
  const rows = await outcomesStatement(tables).run(client, { key });
  return new Map(rows.map((row) => [row.position, recordedOutcome(row)]));
}

function recordedOutcome(row: StoredRow): PushOutcome {
  if (!row.has_scan) return { kind: 'no_scan' };
  const { finding_id: id, deduplicated, regressed, status } = row;
  if (id === null || deduplicated === null) return { kind: 'other_project' };
  return { kind: 'written', deduplicated, id, regressed: regressed === true, status, finding: notRecorded };
}

function notRecorded(): never {
  throw new Error('the finding of a recorded push is not stored');
}

/** Deletes up to {@link BATCH_ROWS} rows that are too old to count, of all keys. @returns how many were deleted */
export async function deleteOldKeys(client: SqlClient, tables: OrgTables, now: Date): Promise<number> {
  const { idempotencyKeys: keys } = tables;
  const deleted = await run(
    client,
    sql`delete from ${keys} where (key, position) in (
      select key, position from ${keys} where created_at < ${before(now)}::timestamptz
      limit ${BATCH_ROWS} for update skip locked) returning 1`,
  );
  return deleted.length;
}
