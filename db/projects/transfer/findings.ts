import { sql } from 'drizzle-orm';
import { onItsWorker } from '../../citus.ts';
import type { OrgTables } from '../../schema/org.ts';
import { acceptedRisks } from '../../schema/orgs.ts';
import { arrayText, orgStatement, run, type SqlClient } from '../../statements.ts';
import { insertRows, type Route, type RowText, scanIdInTarget, toJson } from './rows.ts';
import type { Transfer } from './transfers.ts';

const FINDINGS = 500;
/** Bytes of descriptions in a batch, besides those of its last finding. */
const BYTES = 4 * 1024 * 1024;
const EVENTS = 500;
const EXPLOITS = 8;

type OfProject = { projectId: string };
type Ids = { ids: string };

interface FindingRow extends RowText {
  id: string;
  fingerprint: string;
  created_by: string | null;
  is_accepted: boolean;
}

/** Locks findings in the order of pushes, so that nothing is added to them. */
const readFindings = orgStatement<OfProject & { after: string }, FindingRow>(
  ({ findings }, $) => sql`
with page as materialized (
  select * from ${findings} where project_id = ${$.projectId}::uuid and fingerprint > ${$.after}
  order by project_id, fingerprint limit ${sql.raw(String(FINDINGS))} for update
), sized as (
  select id, sum(octet_length(description)) over (order by fingerprint) - octet_length(description) as bytes_before from page
)
select p.id, p.fingerprint, p.created_by, p.accepted_until is not null as is_accepted, row_to_json(p)::text as row
from page p join sized s on s.id = p.id where s.bytes_before <= ${sql.raw(String(BYTES))} order by p.fingerprint`,
);

/** Changes stay in the source, so the latest one cannot be undone. */
const insertFindings = orgStatement<OfProject & { rows: string; strangers: string }, object>((tables, $) =>
  insertRows(tables, tables.findings, $.rows, {
    values: {
      scan_id: scanIdInTarget(tables, $.projectId, sql`r.scan_id`),
      last_scan_id: scanIdInTarget(tables, $.projectId, sql`r.last_scan_id`),
      assignee_id: sql`case when r.assignee_id = any (${$.strangers}::uuid[]) then null else r.assignee_id end`,
      change_id: sql`null`,
    },
  }),
);

const noteUnassigned = orgStatement<OfProject & { rows: string; strangers: string; now: string }, object>(
  (tables, $) => sql`
with given as materialized (
  select id, assignee_id from json_to_recordset(${$.rows}::text::json) as r(id uuid, assignee_id uuid)
  where assignee_id = any (${$.strangers}::uuid[])
), inserted as (
  insert into ${tables.findingEvents} (finding_id, at, id, kind, "from")
  select r.id, ${$.now}::timestamptz, md5(${$.projectId}::text || r.id || ${$.now}::text)::uuid, 'assignee', r.assignee_id::text
  from given r ${onItsWorker(tables)}
)
select 1`,
);

const takeEvents = orgStatement<Ids, RowText & { actor_id: string | null }>(
  ({ findingEvents }, $) => sql`
with page as materialized (
  select finding_id, at, id from ${findingEvents} where finding_id = any (${$.ids}::uuid[])
  order by finding_id, at, id limit ${sql.raw(String(EVENTS))} for update
), gone as (
  delete from ${findingEvents} e using page
  where e.finding_id = page.finding_id and e.at = page.at and e.id = page.id returning e.*
)
select actor_id, row_to_json(gone)::text as row from gone`,
);

const insertEvents = orgStatement<OfProject & { rows: string }, object>((tables, $) =>
  insertRows(tables, tables.findingEvents, $.rows, {
    values: { scan_id: scanIdInTarget(tables, $.projectId, sql`r.scan_id`) },
  }),
);

const takeExploits = orgStatement<Ids, RowText>(
  ({ exploits }, $) => sql`
with page as materialized (
  select finding_id, id from ${exploits} where finding_id = any (${$.ids}::uuid[])
  order by finding_id, id limit ${sql.raw(String(EXPLOITS))} for update
), gone as (
  delete from ${exploits} e using page where e.finding_id = page.finding_id and e.id = page.id returning e.*
)
select row_to_json(gone)::text as row from gone`,
);

const insertExploits = orgStatement<{ rows: string }, object>((tables, $) =>
  insertRows(tables, tables.exploits, $.rows),
);

const takeRefs = orgStatement<Ids, RowText>(
  ({ findingRefs }, $) => sql`
with gone as (delete from ${findingRefs} where finding_id = any (${$.ids}::uuid[]) returning *)
select row_to_json(gone)::text as row from gone`,
);

const insertRefs = orgStatement<OfProject & { rows: string }, object>((tables, $) =>
  insertRows(tables, tables.findingRefs, $.rows, {
    values: { last_scan_id: scanIdInTarget(tables, $.projectId, sql`r.last_scan_id`) },
  }),
);

/**
 * Rule changes are looked up by rule, because their keys begin with it. They cannot be undone in the target. Issues belong to an
 * integration of the source, so the findings lose them.
 */
const removeFindings = orgStatement<Ids, object>(
  ({ findingIssues, findings, ruleChanges, rules }, $) => sql`
with without_decisions as (
  delete from ${ruleChanges} where rule_id = any (array(select id from ${rules})) and finding_id = any (${$.ids}::uuid[])
), without_issues as (
  delete from ${findingIssues} where finding_id = any (${$.ids}::uuid[])
)
delete from ${findings} where id = any (${$.ids}::uuid[])`,
);

/** A note of the target may be left from a request that found the finding there. */
const moveRisks = async (tx: SqlClient, { sourceId, targetId }: Transfer, ids: string): Promise<void> => {
  await run(
    tx,
    sql`with gone as (
        delete from ${acceptedRisks} where org_id = ${sourceId}::uuid and finding_id = any (${ids}::uuid[]) returning *
      )
      insert into ${acceptedRisks} as r (org_id, finding_id, due_at, noted_at)
      select ${targetId}::uuid, finding_id, due_at, noted_at from gone
      on conflict (org_id, finding_id) do update set due_at = least(r.due_at, excluded.due_at)`,
  );
};

const assignees = orgStatement<OfProject, { id: string }>(
  ({ findings }, $) => sql`
select distinct assignee_id as id from ${findings} where project_id = ${$.projectId}::uuid and assignee_id is not null`,
);

export interface MoveOptions {
  now: Date;
  /** Selects the users that are not members of the target. */
  strangersAmong(tx: SqlClient, userIds: readonly string[]): Promise<string[]>;
  /** Called between batches with the number of findings that were copied. It throws to roll the transaction back. */
  onCopied(copied: number): Promise<void>;
}

/**
 * Moves the findings of a project with their activity and exploits. Assignees who are not members of the target are removed.
 * @returns how many were moved, and the authors of what was moved
 */
export async function moveFindings(
  tx: SqlClient,
  transfer: Transfer,
  { source, target }: Route,
  { now, strangersAmong, onCopied }: MoveOptions,
): Promise<{ copied: number; actors: Set<string> }> {
  const { projectId } = transfer;
  const actors = new Set<string>();
  const assigned = (await assignees(source).run(tx, { projectId })).map(({ id }) => id);
  const strangers = assigned.length > 0 ? await strangersAmong(tx, assigned) : [];
  let copied = 0;
  let after = '';
  for (;;) {
    const findings: FindingRow[] = await readFindings(source).run(tx, { projectId, after });
    const last = findings.at(-1);
    if (!last) return { copied, actors };
    const ids = arrayText(findings.map(({ id }) => id));
    const rows = { projectId, rows: toJson(findings), strangers: arrayText(strangers) };
    await insertFindings(target).run(tx, rows);
    if (strangers.length > 0) await noteUnassigned(target).run(tx, { ...rows, now: now.toISOString() });
    for (const { created_by } of findings) if (created_by) actors.add(created_by);
    const refs = await takeRefs(source).run(tx, { ids });
    if (refs.length > 0) await insertRefs(target).run(tx, { projectId, rows: toJson(refs) });
    await moveOf(tx, { source, target, projectId }, ids, actors);
    if (findings.some(({ is_accepted }) => is_accepted)) await moveRisks(tx, transfer, ids);
    await removeFindings(source).run(tx, { ids });
    copied += findings.length;
    after = last.fingerprint;
    await onCopied(copied);
  }
}

/** Moves what belongs to some findings. */
async function moveOf(
  tx: SqlClient,
  { source, target, projectId }: Record<keyof Route, OrgTables> & OfProject,
  ids: string,
  actors: Set<string>,
): Promise<void> {
  for (let count = EVENTS; count === EVENTS; ) {
    const events = await takeEvents(source).run(tx, { ids });
    count = events.length;
    if (count > 0) await insertEvents(target).run(tx, { projectId, rows: toJson(events) });
    for (const { actor_id } of events) if (actor_id) actors.add(actor_id);
  }
  for (let count = EXPLOITS; count === EXPLOITS; ) {
    const exploits = await takeExploits(source).run(tx, { ids });
    count = exploits.length;
    if (count > 0) await insertExploits(target).run(tx, { rows: toJson(exploits) });
  }
}
