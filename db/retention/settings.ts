import { eq, sql } from 'drizzle-orm';
import type { Db, Tx } from '../client.ts';
import { flooredNow } from '../schema/columns.ts';
import { orgDeletions, orgs, retention } from '../schema/orgs.ts';
import { run, type SqlClient } from '../statements.ts';

/*
 * The days that an organization keeps things, and the state of their removal, are one row: a change of the days begins a new run.
 * A process that removes rows moves `due_at` on, which is its lease, and notes how far it has come. When it dies, another one goes
 * on from there.
 */

/** Days by kind; null: for ever. */
export interface RetentionDays {
  resolved_findings: number | null;
  scans: number | null;
}

export const KEEP_ALL: RetentionDays = { resolved_findings: null, scans: null };

const fields = { resolved_findings: retention.resolvedFindings, scans: retention.scans };

/** @returns undefined if the organization is not in this database */
export async function readRetention(db: Db | Tx, orgId: string): Promise<RetentionDays | undefined> {
  const [row] = await db
    .select(fields)
    .from(orgs)
    .leftJoin(retention, eq(retention.orgId, orgs.id))
    .where(eq(orgs.id, orgId));
  return row;
}

/** Replaces the days. A run with the new ones begins at once. */
export async function writeRetention(db: Tx, orgId: string, days: RetentionDays): Promise<void> {
  const { resolved_findings: resolvedFindings, scans } = days;
  const row = { resolvedFindings, scans, dueAt: sql`now()`, position: null };
  await db
    .insert(retention)
    .values({ orgId, ...row })
    .onConflictDoUpdate({ target: retention.orgId, set: row });
}

/** A run of an organization that a process has taken. */
export interface RetentionRun extends RetentionDays {
  org_id: string;
  slug: string;
  position: string | null;
}

/** How long a process has a run to itself. It takes a lease for each turn, which is shorter. */
export const LEASE_MS = 60_000;
/** The time from the end of a run to the next one. */
const INTERVAL_MS = 24 * 60 * 60_000;

const leaseEnd = sql.raw(`now() + interval '${LEASE_MS} milliseconds'`);
const keepsSome = sql`(r.resolved_findings is not null or r.scans is not null)`;
const taken = sql`r.org_id, o.slug, r.resolved_findings, r.scans, r.position`;

/**
 * Takes the run that has been due longest.
 * @param version organizations with an older schema wait for their migration
 */
export async function takeRetention(client: SqlClient, version: number): Promise<RetentionRun | undefined> {
  const [row] = await run<RetentionRun>(
    client,
    sql`update ${retention} r set due_at = ${leaseEnd} from ${orgs} o where o.id = r.org_id and r.org_id = any (array(
      select r.org_id from ${retention} r join ${orgs} o on o.id = r.org_id and o.schema_version >= ${version}
      where r.due_at <= now() and ${keepsSome}
        and not exists (select from ${orgDeletions} d where d.org_id = r.org_id)
      order by r.due_at limit 1 for update of r skip locked))
    returning ${taken}`,
  );
  return row;
}

/** Takes the run of one organization now, from the start. @returns undefined if it keeps everything, or is being processed */
export async function takeRetentionOf(client: SqlClient, orgId: string): Promise<RetentionRun | undefined> {
  const [row] = await run<RetentionRun>(
    client,
    sql`update ${retention} r set due_at = ${leaseEnd}, position = null from ${orgs} o
      where o.id = r.org_id and r.org_id = ${orgId}::uuid and ${keepsSome}
        and (r.due_at <= now() or r.due_at > ${leaseEnd})
    returning ${taken}`,
  );
  return row;
}

/** Matches the row of a run unless the days were changed since it was taken, which begins another run. */
const isSame = ({ org_id, resolved_findings, scans }: RetentionRun) => sql`org_id = ${org_id}::uuid
  and resolved_findings is not distinct from ${resolved_findings}::int and scans is not distinct from ${scans}::int`;

/** Gives a run back, behind all others that are due. */
export async function releaseRetention(
  client: SqlClient,
  taken: RetentionRun,
  position: string | null,
  delayMs = 0,
): Promise<void> {
  await run(
    client,
    sql`update ${retention} set due_at = ${flooredNow} + ${delayMs} * interval '1 millisecond', position = ${position}::uuid
      where ${isSame(taken)}`,
  );
}

/** Notes how far a run has come, and extends its lease. */
export async function noteRetention(client: SqlClient, taken: RetentionRun, position: string): Promise<void> {
  await releaseRetention(client, taken, position, LEASE_MS);
}

/** Ends a run. The next one begins in a day. */
export const endRetention = (client: SqlClient, taken: RetentionRun): Promise<void> =>
  releaseRetention(client, taken, null, INTERVAL_MS);
