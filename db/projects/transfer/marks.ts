import { sql } from 'drizzle-orm';
import type { Sql } from '../../pool/query.ts';
import type { OrgTables } from '../../schema/org.ts';
import { projectTransfers } from '../../schema/orgs.ts';
import { type DrizzleClient, orgStatement, run, type SqlClient } from '../../statements.ts';
import { forgetTransfer, type Transfer, TransferOver } from './transfers.ts';

/*
 * The marks of a project that moves, in both organizations. In the source it takes no writes. In the target, a row that is not shown
 * reserves its slug and counts against the quota.
 */

/** Marks a project in its organization. @returns its row; undefined if its slug is another one by now, or it is marked or deleted */
export async function markLeaving(
  tx: DrizzleClient,
  { projects }: OrgTables,
  { projectId, confirmed }: { projectId: string; confirmed: string },
): Promise<{ name: string; created_at: string } | undefined> {
  const [row] = await run<{ name: string; created_at: string }>(
    tx,
    sql`update ${projects} set transfer = 'out'
      where id = ${projectId}::uuid and slug = ${confirmed} and deleted_at is null and transfer is null
      returning name, created_at`,
  );
  return row;
}

/** Reserves the slug of a project that arrives. @returns false if a project has it */
export async function markArriving(
  tx: DrizzleClient,
  { projects }: OrgTables,
  project: { id: string; name: string; slug: string; created_at: string },
): Promise<boolean> {
  const reserved = await run(
    tx,
    sql`insert into ${projects} (id, name, slug, created_at, transfer)
      values (${project.id}::uuid, ${project.name}, ${project.slug}, ${project.created_at}::timestamptz, 'in')
      on conflict (slug) do nothing returning 1`,
  );
  return reserved.length > 0;
}

const leave = orgStatement<{ projectId: string }, object>(
  ({ projects }, $) =>
    sql`update ${projects} set transfer = null where id = ${$.projectId}::uuid and transfer = 'out'`,
);

const arrive = orgStatement<{ projectId: string }, object>(
  ({ projects }, $) => sql`delete from ${projects} where id = ${$.projectId}::uuid and transfer = 'in'`,
);

/**
 * Removes both marks and the note of a transfer that was cancelled.
 * @throws TransferOver if another process has done so: the marks may be those of the next transfer
 */
export async function removeMarks(
  client: Sql,
  transfer: Transfer,
  { source, target }: { source: OrgTables; target: OrgTables },
): Promise<void> {
  await client.begin(async (tx) => {
    await leave(source).run(tx, transfer);
    await arrive(target).run(tx, transfer);
    if (!(await forgetTransfer(tx, transfer))) throw new TransferOver();
  });
}

const marked = orgStatement<object, { id: string }>(
  ({ projects }) => sql`select id from ${projects} where transfer is not null`,
);

/** Removes the marks of an organization that no transfer has, as after a restore from a backup. */
export async function removeStrayMarks(client: SqlClient, tables: OrgTables, orgId: string): Promise<void> {
  for (const { id: projectId } of await marked(tables).run(client, {})) {
    const known = await run(
      client,
      sql`select 1 from ${projectTransfers} where project_id = ${projectId}::uuid
        and ${orgId}::uuid in (source_id, target_id)`,
    );
    if (known.length > 0) continue;
    await leave(tables).run(client, { projectId });
    await arrive(tables).run(client, { projectId });
  }
}

interface Named {
  projectIds: string | null;
  findingIds: string | null;
  scanId: string | null;
  any: boolean;
}

const leaving = orgStatement<Named, object>(
  ({ findings, projects, scans }, $) => sql`
select 1 from ${projects} p where p.transfer = 'out' and (
  ${$.any}::boolean or p.id = any (${$.projectIds}::uuid[])
  or exists (select from ${findings} f where f.id = any (${$.findingIds}::uuid[]) and f.project_id = p.id)
  or exists (select from ${scans} s where s.scan_id = ${$.scanId}::text and s.project_id = p.id)
) limit 1`,
);

/** Whether a project moves to another organization: one of those that are named, of some findings or of a scan, or any. */
export async function isLeaving(client: SqlClient, tables: OrgTables, of: Partial<Named>): Promise<boolean> {
  const params = { projectIds: null, findingIds: null, scanId: null, any: false, ...of };
  return (await leaving(tables).run(client, params)).length > 0;
}
