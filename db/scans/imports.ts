import { sql } from 'drizzle-orm';
import { reportImports } from '../schema/orgs.ts';
import { arrayText, run, type SqlClient, statement } from '../statements.ts';

/*
 * A process that imports a report holds a lease, which it renews until the scan has ended. When the process dies, the lease
 * expires, and another process ends the scan. All times are those of the database.
 */

/** Longer than a process that works may be silent. */
export const LEASE_MS = 15_000;

/** A report that is being imported. */
export interface ReportImport {
  id: string;
  orgId: string;
  scanId: string;
}

const leaseEnd = sql.raw(`now() + interval '${LEASE_MS} milliseconds'`);

const begin = statement<ReportImport, object>(
  ($) => sql`
insert into ${reportImports} (id, org_id, scan_id, lease_until)
values (${$.id}::uuid, ${$.orgId}::uuid, ${$.scanId}, ${leaseEnd})`,
);

/** Takes the lease of an import, before its scan is registered. */
export async function beginImport(client: SqlClient, entry: ReportImport): Promise<void> {
  await begin.run(client, entry);
}

const renew = statement<{ ids: string }, { id: string }>(
  ($) =>
    sql`update ${reportImports} set lease_until = ${leaseEnd} where id = any (${$.ids}::uuid[]) returning id`,
);

/** Renews leases. @returns the ids of those that still exist */
export async function renewImports(client: SqlClient, ids: readonly string[]): Promise<Set<string>> {
  const rows = await renew.run(client, { ids: arrayText([...ids]) });
  return new Set(rows.map(({ id }) => id));
}

const end = statement<{ id: string }, object>(
  ($) => sql`delete from ${reportImports} where id = ${$.id}::uuid`,
);

/** Ends an import, after its scan has ended. */
export async function endImport(client: SqlClient, id: string): Promise<void> {
  await end.run(client, { id });
}

const expire = statement<{ ids: string }, object>(
  ($) => sql`update ${reportImports} set lease_until = now() where id = any (${$.ids}::uuid[])`,
);

/** Ends leases early, so that another process takes over their imports at once. */
export async function expireImports(client: SqlClient, ids: readonly string[]): Promise<void> {
  await expire.run(client, { ids: arrayText([...ids]) });
}

/** Takes over imports whose lease has expired. Each gets a new lease, so that one process at a time ends its scan. */
export async function takeExpired(client: SqlClient, limit: number): Promise<ReportImport[]> {
  const rows = await run<{ id: string; org_id: string; scan_id: string }>(
    client,
    sql`update ${reportImports} set lease_until = ${leaseEnd} where id in (
      select id from ${reportImports} where lease_until <= now() limit ${limit} for update skip locked)
    returning id, org_id, scan_id`,
  );
  return rows.map(({ id, org_id, scan_id }) => ({ id, orgId: org_id, scanId: scan_id }));
}
