import { sql } from 'drizzle-orm';
import type { Sql } from '../pool/query.ts';
import { flooredNow } from '../schema/columns.ts';
import type { OrgTables } from '../schema/org.ts';
import { deletionJobs } from '../schema/orgs.ts';
import { type DrizzleClient, orgStatement, run, type SqlClient } from '../statements.ts';

/*
 * A deletion may have hundreds of thousands of findings. The request selects them and notes the deletion here. A process that holds
 * the lease of the note goes on with it, in batches. When that process dies, the lease expires and another one continues: the row of
 * the deletion has its state and its position.
 */

export interface DeletionJob {
  orgId: string;
  deletionId: string;
}

/** Notes a deletion, in the transaction that changes its state. */
export async function noteJob(
  client: SqlClient | DrizzleClient,
  { orgId, deletionId }: DeletionJob,
): Promise<void> {
  await run(
    client,
    sql`insert into ${deletionJobs} (org_id, deletion_id, lease_until)
      values (${orgId}::uuid, ${deletionId}::uuid, ${flooredNow}) on conflict do nothing`,
  );
}

const unfinished = orgStatement<object, { id: string }>(
  ({ deletions }) => sql`select id from ${deletions} where state in ('deleting', 'restoring', 'purging')`,
);

/** Notes the unfinished deletions of an organization that are not noted, as after a restore from a backup. */
export async function noteUnfinished(client: SqlClient, tables: OrgTables, orgId: string): Promise<void> {
  for (const { id: deletionId } of await unfinished(tables).run(client, {}))
    await noteJob(client, { orgId, deletionId });
}

/** How long a process has a deletion to itself. It takes a lease for each turn, which is shorter. */
export const LEASE_MS = 60_000;

const leaseEnd = sql.raw(`now() + interval '${LEASE_MS} milliseconds'`);

/** Takes a deletion that nobody is working on: the one that waits longest. */
export async function takeJob(client: SqlClient): Promise<DeletionJob | undefined> {
  const [row] = await run<{ org_id: string; deletion_id: string }>(
    client,
    sql`update ${deletionJobs} set lease_until = ${leaseEnd} where (org_id, deletion_id) in (
      select org_id, deletion_id from ${deletionJobs} where lease_until <= now()
      order by lease_until limit 1 for update skip locked)
    returning org_id, deletion_id`,
  );
  return row && { orgId: row.org_id, deletionId: row.deletion_id };
}

const isJob = ({ orgId, deletionId }: DeletionJob) =>
  sql`org_id = ${orgId}::uuid and deletion_id = ${deletionId}::uuid`;

/** Takes one deletion, if nobody is working on it. @returns whether it was taken */
export async function takeJobOf(client: SqlClient, job: DeletionJob): Promise<boolean> {
  const taken = await run(
    client,
    sql`update ${deletionJobs} set lease_until = ${leaseEnd} where ${isJob(job)} and lease_until <= now() returning 1`,
  );
  return taken.length > 0;
}

/** Gives a deletion back, behind all others that wait. */
export async function releaseJob(client: SqlClient, job: DeletionJob, delayMs = 0): Promise<void> {
  await run(
    client,
    sql`update ${deletionJobs} set lease_until = ${flooredNow} + ${delayMs} * interval '1 millisecond' where ${isJob(job)}`,
  );
}

/** Forgets a deletion that waits for nothing, in the transaction that has locked it. */
export async function endJob(client: SqlClient, job: DeletionJob): Promise<void> {
  await run(client, sql`delete from ${deletionJobs} where ${isJob(job)}`);
}

const lockUnfinished = orgStatement<{ id: string }, object>(
  ({ deletions }, $) => sql`
select 1 from ${deletions} where id = ${$.id}::uuid and state in ('deleting', 'restoring', 'purging') for update`,
);

/** Forgets a deletion, unless it waits for something: a request may have given it another state meanwhile. */
export const endIdleJob = (client: Sql, tables: OrgTables, job: DeletionJob): Promise<void> =>
  client.begin(async (tx) => {
    if ((await lockUnfinished(tables).run(tx, { id: job.deletionId })).length === 0) await endJob(tx, job);
  });
