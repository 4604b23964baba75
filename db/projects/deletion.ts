import { type SQL, sql } from 'drizzle-orm';
import type { Tx } from '../client.ts';
import { flooredNow } from '../schema/columns.ts';
import type { OrgTables } from '../schema/org.ts';
import { projectPurges } from '../schema/orgs.ts';
import { type DrizzleClient, orgStatement, run, type SqlClient } from '../statements.ts';

/*
 * A project may have millions of rows, so it is deleted in two steps. First it is marked, which hides it and revokes its tokens.
 * Then a process that holds its lease removes its rows (`purge.ts`). When that process dies, the lease expires and another one
 * goes on. The tables tell which rows remain, so a process may die between any two statements.
 */

/** Whether a project is shown. */
export const isPresent = ({ projects }: OrgTables): SQL =>
  sql`(${projects.deletedAt} is null and ${projects.transfer} is distinct from 'in')`;

/** A condition of a finding: its project does not move to another organization. A write to one that moves would wait for the move. */
export const isStaying = ({ projects }: Pick<OrgTables, 'projects'>): SQL =>
  sql`not exists (select 1 from ${projects} p where p.id = project_id and p.transfer = 'out')`;

/** Whether a project counts against the quota: one that arrives from another organization does. */
export const takesRoom = ({ projects }: OrgTables): SQL => sql`${projects.deletedAt} is null`;

interface ProjectOfOrg {
  orgId: string;
  projectId: string;
}

const note = (client: SqlClient | DrizzleClient, { orgId, projectId }: ProjectOfOrg) =>
  run(
    client,
    sql`insert into ${projectPurges} (org_id, project_id, lease_until) values (${orgId}::uuid, ${projectId}::uuid, now())
      on conflict do nothing`,
  );

const deleted = orgStatement<object, { id: string }>(
  ({ projects }) => sql`select id from ${projects} where deleted_at is not null`,
);

/** Notes the deleted projects of an organization that are not noted. */
export async function noteDeleted(client: SqlClient, tables: OrgTables, orgId: string): Promise<void> {
  for (const { id: projectId } of await deleted(tables).run(client, {}))
    await note(client, { orgId, projectId });
}

/**
 * Marks a project as deleted, and revokes its tokens, in a transaction. The slug is free at once: a text that no project can have as its
 * slug takes its place.
 * @param confirmed the slug that the caller has confirmed; a project whose slug has changed since then stays
 * @returns how many tokens were revoked; undefined if there is no such project
 */
export async function markDeleted(
  tx: Tx,
  { apiTokens, projects }: OrgTables,
  { orgId, projectId, confirmed, now }: ProjectOfOrg & { confirmed: string; now: Date },
): Promise<number | undefined> {
  const [marked] = await run<{ tokens: number }>(
    tx,
    sql`with marked as (
      update ${projects} set deleted_at = ${now.toISOString()}::timestamptz, slug = ${`-${projectId}`}, former_slug = null
      where id = ${projectId}::uuid and slug = ${confirmed} and deleted_at is null and transfer is null returning id
    ), revoked as (
      update ${apiTokens} set revoked = true where project_id = (select id from marked) and not revoked returning id
    )
    select (select count(*) from revoked)::int as tokens from marked`,
  );
  if (marked) await note(tx, { orgId, projectId });
  return marked?.tokens;
}

/** How long a process has a project to itself. It takes a lease for each turn, which is shorter. */
export const LEASE_MS = 60_000;

const leaseEnd = sql.raw(`now() + interval '${LEASE_MS} milliseconds'`);

/** Takes a deleted project that nobody is removing: the one that waits longest. */
export async function takePurge(client: SqlClient): Promise<ProjectOfOrg | undefined> {
  const [row] = await run<{ org_id: string; project_id: string }>(
    client,
    sql`update ${projectPurges} set lease_until = ${leaseEnd} where (org_id, project_id) in (
      select org_id, project_id from ${projectPurges} where lease_until <= now()
      order by lease_until limit 1 for update skip locked)
    returning org_id, project_id`,
  );
  return row && { orgId: row.org_id, projectId: row.project_id };
}

/** Takes one deleted project, if nobody is removing it. @returns whether it was taken */
export async function takePurgeOf(client: SqlClient, { orgId, projectId }: ProjectOfOrg): Promise<boolean> {
  const taken = await run(
    client,
    sql`update ${projectPurges} set lease_until = ${leaseEnd}
      where org_id = ${orgId}::uuid and project_id = ${projectId}::uuid and lease_until <= now() returning 1`,
  );
  return taken.length > 0;
}

/** Gives a project back, behind all others that wait. */
export async function releasePurge(
  client: SqlClient,
  { orgId, projectId }: ProjectOfOrg,
  delayMs = 0,
): Promise<void> {
  await run(
    client,
    sql`update ${projectPurges} set lease_until = ${flooredNow} + ${delayMs} * interval '1 millisecond'
      where org_id = ${orgId}::uuid and project_id = ${projectId}::uuid`,
  );
}

/** Forgets a project of which nothing is left. */
export async function endPurge(client: SqlClient, { orgId, projectId }: ProjectOfOrg): Promise<void> {
  await run(
    client,
    sql`delete from ${projectPurges} where org_id = ${orgId}::uuid and project_id = ${projectId}::uuid`,
  );
}
