import { type SQL, sql } from 'drizzle-orm';
import { PASSES } from '../../accounts/erasure.ts';
import { accountErasures } from '../../schema/erasures.ts';
import { orgs, projectTransfers } from '../../schema/orgs.ts';
import { type DrizzleClient, run, type SqlClient } from '../../statements.ts';

/*
 * The transfers in progress, of all organizations. A process moves a project while it holds the lease of its row, and deletes the row in
 * the transaction that moves it (`move.ts`). When that process dies, PostgreSQL undoes the transaction, the lease expires and
 * another process begins anew.
 */

/** A project that moves, and from where to where. */
export interface Transfer {
  projectId: string;
  sourceId: string;
  targetId: string;
}

/** The transfer was cancelled, or another process has completed or ended it. */
export class TransferOver extends Error {}

/** How long a process has a project to itself. It renews the lease. */
export const LEASE_MS = 60_000;

const leaseEnd = sql.raw(`now() + interval '${LEASE_MS} milliseconds'`);
/** Without the fraction of a millisecond, which the column would round up to the future. */
const due = sql.raw("date_trunc('milliseconds', now())");

const isTransfer = ({ projectId, sourceId, targetId }: Transfer): SQL =>
  sql`project_id = ${projectId}::uuid and source_id = ${sourceId}::uuid and target_id = ${targetId}::uuid`;

/** Notes a transfer. @returns false if the project is being transferred already */
export async function noteTransfer(
  tx: DrizzleClient,
  { projectId, sourceId, targetId }: Transfer,
  { slug, findings, now }: { slug: string; findings: number; now: Date },
): Promise<boolean> {
  const noted = await run(
    tx,
    sql`insert into ${projectTransfers} (project_id, source_id, target_id, slug, started_at, findings, lease_until)
      values (${projectId}::uuid, ${sourceId}::uuid, ${targetId}::uuid, ${slug}, ${now.toISOString()}::timestamptz,
        ${findings}::int, ${due}) on conflict do nothing returning 1`,
  );
  return noted.length > 0;
}

/** A transfer that was taken. */
export interface Taken extends Transfer {
  cancelled: boolean;
  /** How often it was taken. */
  attempts: number;
}

/**
 * Takes a transfer that nobody is working on: the one that waits longest, or that of a project. The first one of each organization
 * comes before the second ones, so that one with many does not keep the projects of others waiting, which take no pushes until then.
 * The schemas of both organizations must be up to date.
 * @param version of such a schema
 */
export async function takeTransfer(
  client: SqlClient,
  version: number,
  projectId?: string,
): Promise<Taken | undefined> {
  const wanted = projectId === undefined ? sql`` : sql`and t.project_id = ${projectId}::uuid`;
  const [row] = await run<Taken>(
    client,
    sql`update ${projectTransfers} set lease_until = ${leaseEnd}, attempts = attempts + 1, copied = 0
      where project_id = any (array(
        select t.project_id from ${projectTransfers} t where t.lease_until <= now() ${wanted}
          and not exists (select from ${orgs} o where o.id in (t.source_id, t.target_id) and o.schema_version < ${version})
        order by (select count(*) from ${projectTransfers} e where e.source_id = t.source_id and e.started_at < t.started_at),
          t.lease_until limit 1 for update skip locked))
      returning project_id as "projectId", source_id as "sourceId", target_id as "targetId", cancelled, attempts`,
  );
  return row;
}

/** Renews the lease and notes the progress. @returns false if the project is to stay */
export async function renewTransfer(client: SqlClient, transfer: Transfer, copied: number): Promise<boolean> {
  const renewed = await run(
    client,
    sql`update ${projectTransfers} set lease_until = ${leaseEnd}, copied = ${copied}::int
      where ${isTransfer(transfer)} and not cancelled returning 1`,
  );
  return renewed.length > 0;
}

/** Gives a transfer back. @param error why the attempt failed */
export async function releaseTransfer(
  client: SqlClient,
  transfer: Transfer,
  { delayMs = 0, error = null }: { delayMs?: number; error?: string | null } = {},
): Promise<void> {
  await run(
    client,
    sql`update ${projectTransfers} set lease_until = ${due} + ${delayMs} * interval '1 millisecond', copied = 0,
        error = ${error}
      where ${isTransfer(transfer)}`,
  );
}

/** Asks for the end of a transfer. @returns false if there is none */
export async function cancelTransfer(
  client: SqlClient,
  { projectId, sourceId }: Omit<Transfer, 'targetId'>,
): Promise<boolean> {
  const cancelled = await run(
    client,
    sql`update ${projectTransfers} set cancelled = true
      where project_id = ${projectId}::uuid and source_id = ${sourceId}::uuid returning 1`,
  );
  return cancelled.length > 0;
}

/** Forgets a cancelled transfer. Part of the transaction that removes its marks. @returns false if there is none */
export async function forgetTransfer(client: SqlClient, transfer: Transfer): Promise<boolean> {
  const forgotten = await run(
    client,
    sql`delete from ${projectTransfers} where ${isTransfer(transfer)} and cancelled returning 1`,
  );
  return forgotten.length > 0;
}

/**
 * Ends a transfer, as the last statement of the transaction that moves the project. Accounts that are being erased get one more pass,
 * because the organization with the project may be behind the current one. Not one for each transfer: projects that move back and
 * forth would keep them waiting for ever.
 * @returns false if it was cancelled
 */
export async function endTransfer(client: SqlClient, transfer: Transfer): Promise<boolean> {
  const another = sql`${PASSES - 2}::int`;
  await run(client, sql`update ${accountErasures} set passes = ${another} where passes > ${another}`);
  const ended = await run(
    client,
    sql`delete from ${projectTransfers} where ${isTransfer(transfer)} and not cancelled returning 1`,
  );
  return ended.length > 0;
}

/** A transfer as it is shown. */
export interface TransferState extends Transfer {
  source: string;
  target: string;
  targetName: string;
  slug: string;
  startedAt: Date;
  findings: number;
  copied: number;
  attempts: number;
  error: string | null;
  cancelled: boolean;
  /** A process works on it. */
  active: boolean;
}

/** Reads transfers in progress, the oldest first: all, those of an organization in either direction, or that of a project. */
export async function readTransfers(
  client: SqlClient | DrizzleClient,
  { orgId, projectId }: { orgId?: string; projectId?: string } = {},
): Promise<TransferState[]> {
  const ofOrg = orgId === undefined ? sql`true` : sql`${orgId}::uuid in (t.source_id, t.target_id)`;
  const ofProject = projectId === undefined ? sql`true` : sql`t.project_id = ${projectId}::uuid`;
  const rows = await run<Omit<TransferState, 'startedAt'> & { startedAt: string }>(
    client,
    sql`select t.project_id as "projectId", t.source_id as "sourceId", t.target_id as "targetId", s.slug as source,
        o.slug as target, o.name as "targetName", t.slug, t.started_at as "startedAt", t.findings, t.copied, t.attempts, t.error,
        t.cancelled, t.lease_until > now() as active
      from ${projectTransfers} t join ${orgs} s on s.id = t.source_id join ${orgs} o on o.id = t.target_id
      where ${ofOrg} and ${ofProject} order by t.started_at, t.project_id`,
  );
  return rows.map((row) => ({ ...row, startedAt: new Date(row.startedAt) }));
}

/** Whether a project of an organization, or one that moves to it, is being transferred. */
export async function hasTransfers(client: SqlClient | DrizzleClient, orgId: string): Promise<boolean> {
  const found = await run(
    client,
    sql`select 1 from ${projectTransfers} where source_id = ${orgId}::uuid or target_id = ${orgId}::uuid limit 1`,
  );
  return found.length > 0;
}
