import { createHash } from 'node:crypto';
import { type SQL, sql } from 'drizzle-orm';
import { orgMoves } from '../schema/moves.ts';
import type { OrgSchemaName } from '../schema/org-schema.ts';
import { orgSchemaName } from '../schema/org-schema.ts';
import { run, type SqlClient } from '../statements.ts';

/** An organization and the tables of its schema. */
export interface MovingOrg {
  id: string;
  tables: readonly string[];
}

/** A move, in the cell that the organization leaves or has left. */
export interface Move {
  orgId: string;
  slug: string;
  cell: string;
  copyId: string;
  startedAt: Date;
  movedAt: Date | null;
  /** Whether the other cell may not have the rows of `shared` yet. */
  pending: boolean;
  /** Whether the data that it has left here is removed. */
  purged: boolean;
}

const hexOf = (orgId: string): string => orgSchemaName(orgId).slice('org_'.length);

/** The publication, the replication slot and the subscription. */
export const replicationName = (orgId: string): string => `move_${hexOf(orgId)}`;

/** The schema of an organization that has moved, until it is purged. */
export const formerSchema = (orgId: string): string => `${FORMER}${hexOf(orgId)}`;
const FORMER = 'moved_';

export const tableIn = (schema: OrgSchemaName, table: string): SQL =>
  sql`${sql.identifier(schema)}.${sql.identifier(table)}`;

const lockKey = (orgId: string): string =>
  createHash('sha256').update(`move ${orgId}`).digest().readBigInt64BE().toString();

/** Keeps other processes from moving the organization, as long as the session lives. @returns false if one does */
export async function lockMove(client: SqlClient, orgId: string): Promise<boolean> {
  const [row] = await run<{ locked: boolean }>(
    client,
    sql`select pg_try_advisory_lock(${lockKey(orgId)}) as locked`,
  );
  return row?.locked ?? false;
}

/** Another process moves the organization: this one has lost its session. */
export class NotHeld extends Error {
  override message = 'another process is moving the organization';
}

/** Begins every transaction that changes the organization. @throws NotHeld */
export async function holdMove(tx: SqlClient, orgId: string): Promise<void> {
  const [row] = await run<{ locked: boolean }>(
    tx,
    sql`select pg_try_advisory_xact_lock(${lockKey(orgId)}) as locked`,
  );
  if (!row?.locked) throw new NotHeld();
}

/** The moves of this cell, the oldest first: all, or that of an organization by id or slug. */
export async function readMoves(client: SqlClient, name?: string): Promise<Move[]> {
  const { orgId, slug, cell, copyId, startedAt, movedAt, rows } = orgMoves;
  const found = await run<
    Omit<Move, 'startedAt' | 'movedAt'> & { startedAt: string; movedAt: string | null }
  >(
    client,
    sql`select ${orgId} as "orgId", ${slug} as slug, ${cell} as cell, ${copyId} as "copyId", ${startedAt} as "startedAt",
        ${movedAt} as "movedAt", ${rows} is not null as pending,
        ${movedAt} is not null and not exists (select from pg_namespace
          where nspname = ${FORMER} || replace(${orgId}::text, '-', '')) as purged
      from ${orgMoves} where ${name ?? null}::text is null or ${orgId}::text = ${name ?? null} or ${slug} = ${name ?? null}
      order by ${startedAt}, ${orgId}`,
  );
  return found.map((move) => ({
    ...move,
    startedAt: new Date(move.startedAt),
    movedAt: move.movedAt === null ? null : new Date(move.movedAt),
  }));
}

/** Notes that a move begins. */
export async function noteMove(
  tx: SqlClient,
  { orgId, slug, cell, copyId }: Pick<Move, 'orgId' | 'slug' | 'cell' | 'copyId'>,
): Promise<void> {
  await run(
    tx,
    sql`insert into ${orgMoves} (org_id, slug, cell, copy_id, started_at)
      values (${orgId}::uuid, ${slug}, ${cell}, ${copyId}::uuid, now())`,
  );
}

/** Forgets a move that was cancelled. */
export async function forgetMove(tx: SqlClient, orgId: string): Promise<void> {
  await run(tx, sql`delete from ${orgMoves} where org_id = ${orgId}::uuid and moved_at is null`);
}
