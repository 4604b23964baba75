import { sql } from 'drizzle-orm';
import type { OrgTables } from '../../schema/org.ts';
import { acceptedRisks } from '../../schema/orgs.ts';
import { arrayText, orgStatement, run, type SqlClient, statement } from '../../statements.ts';

/*
 * A risk that is accepted until a time is noted in a table of all organizations before its finding is changed. When the time
 * has come, a periodic task opens the finding, unless the finding says otherwise by then: the note may be of a change that
 * failed, or of an earlier time. Changes therefore need no transaction that spans both tables. A push does, because it knows only
 * afterwards whether its finding is new: notes of all repeated pushes would fill the table.
 */

/** Longer than a request may take. A younger note may be of a change that is still to come. */
export const PENDING_MS = 2 * 60_000;

/** A risk that will be accepted. */
export interface AcceptedRisk {
  id: string;
  /** RFC 3339. */
  accepted_until: string;
}

const note = statement<{ orgId: string; risks: string; now: string }, object>(
  ($) => sql`
insert into ${acceptedRisks} as r (org_id, finding_id, due_at, noted_at)
select ${$.orgId}::uuid, id, accepted_until, ${$.now}::timestamptz
from json_to_recordset(${$.risks}::text::json) as a(id uuid, accepted_until timestamptz) order by id
on conflict (org_id, finding_id) do update set due_at = least(r.due_at, excluded.due_at), noted_at = excluded.noted_at`,
);

const existing = orgStatement<{ ids: string }, { id: string }>(
  ({ findings: f }, $) => sql`select ${f.id} as id from ${f} where ${f.id} = any (${$.ids}::uuid[])`,
);

/** Notes risks in the transaction that has written their findings, which are new. */
export async function noteRisksOfNew(
  tx: SqlClient,
  orgId: string,
  risks: readonly AcceptedRisk[],
  now: string,
): Promise<void> {
  if (risks.length > 0) await note.run(tx, { orgId, risks: JSON.stringify(risks), now });
}

/** Notes risks that will be accepted. Unknown findings are left out: they would fill the table that all organizations share. */
export async function noteAcceptedRisks(
  client: SqlClient,
  org: { id: string; tables: OrgTables },
  risks: readonly AcceptedRisk[],
  now: Date,
): Promise<void> {
  const ids = arrayText(risks.map(({ id }) => id));
  const known = new Set((await existing(org.tables).run(client, { ids })).map(({ id }) => id));
  const possible = risks.filter(({ id }) => known.has(id));
  if (possible.length === 0) return;
  await note.run(client, { orgId: org.id, risks: JSON.stringify(possible), now: now.toISOString() });
}

/** Findings of one organization whose time has come. */
export interface DueRisks {
  orgId: string;
  findingIds: string[];
}

/**
 * Finds up to `limit` notes whose time has come. Leaves out those that a transaction has locked, such as one that moves their
 * findings to another organization: the others would wait for it.
 */
export async function findDueRisks(client: SqlClient, now: Date, limit: number): Promise<DueRisks[]> {
  const rows = await run<{ org_id: string; ids: string[] }>(
    client,
    sql`select org_id, json_agg(finding_id order by finding_id) as ids from (
      select org_id, finding_id from ${acceptedRisks} where due_at <= ${now.toISOString()}::timestamptz
      order by due_at limit ${limit} for no key update skip locked) due group by org_id`,
  );
  return rows.map(({ org_id: orgId, ids: findingIds }) => ({ orgId, findingIds }));
}

const later = orgStatement<{ ids: string; now: string }, { id: string; accepted_until: string }>(
  ({ findings: f }, $) => sql`
select ${f.id} as id, ${f.acceptedUntil} as accepted_until from ${f}
where ${f.id} = any (${$.ids}::uuid[]) and ${f.acceptedUntil} > ${$.now}::timestamptz`,
);

/** Postpones notes, so that others get their turn. */
export async function postponeRisks(
  client: SqlClient,
  { orgId, findingIds }: DueRisks,
  until: Date,
): Promise<void> {
  await run(
    client,
    sql`update ${acceptedRisks} set due_at = ${until.toISOString()}::timestamptz
      where org_id = ${orgId}::uuid and finding_id = any (${arrayText(findingIds)}::uuid[])`,
  );
}

/** Removes due notes. Postpones young ones, and those of findings whose risk is accepted for longer. */
export async function settleRisks(
  client: SqlClient,
  tables: OrgTables,
  { orgId, findingIds }: DueRisks,
  now: Date,
): Promise<void> {
  const ids = arrayText(findingIds);
  const accepted = await later(tables).run(client, { ids, now: now.toISOString() });
  const times = JSON.stringify(accepted);
  await run(
    client,
    sql`update ${acceptedRisks} r set due_at = a.accepted_until
      from json_to_recordset(${times}::text::json) as a(id uuid, accepted_until timestamptz)
      where r.org_id = ${orgId}::uuid and r.finding_id = a.id`,
  );
  const pendingSince = new Date(now.getTime() - PENDING_MS).toISOString();
  const isDue = sql`org_id = ${orgId}::uuid and finding_id = any (${ids}::uuid[]) and due_at <= ${now.toISOString()}::timestamptz`;
  await run(
    client,
    sql`delete from ${acceptedRisks} where ${isDue} and noted_at <= ${pendingSince}::timestamptz`,
  );
  await run(
    client,
    sql`update ${acceptedRisks} set due_at = noted_at + ${PENDING_MS} * interval '1 millisecond' where ${isDue}`,
  );
}
