import { type Placeholder, type SQL, sql } from 'drizzle-orm';
import { onItsWorker } from '../citus.ts';
import { retried } from '../errors.ts';
import type { Sql } from '../pool/query.ts';
import type { OrgTables } from '../schema/org.ts';
import { SEVERITIES, type Severity, UNRESOLVED } from '../schema/values.ts';
import { arrayText, orgStatement, type SqlClient } from '../statements.ts';

/*
 * Removing findings locks what pushes and ends of scans lock, in their order: scans that run, findings by their key, counts by
 * their key. Whatever refers to a finding locks it first, so nothing is added to a finding that is being removed.
 */

type Ids = { ids: string };
/** `resolvedBefore`: only findings that have been resolved and unseen since then; null: all. */
type Condition = Ids & { resolvedBefore: string | null };

const idsOfGone = sql.raw('any (array(select id from gone))');

const idsOf = ($: { ids: unknown }): SQL => sql`any (${$.ids}::uuid[])`;

/** A scan that ends now would count findings that are being removed, and this would not correct its summary. */
const lockRunningScans = orgStatement<Ids, object>(
  ({ findings, scans }, $) => sql`
select 1 from ${scans}
where status = 'running' and project_id = any (array(select project_id from ${findings} where id = ${idsOf($)}))
order by scan_id for share`,
);

const lockFindings = orgStatement<Ids, object>(
  ({ findings }, $) => sql`
select 1 from ${findings} where id = ${idsOf($)} order by project_id, fingerprint for update`,
);

/**
 * Whether a finding is resolved and was neither changed nor reported since a time. One that is still reported stays, because the
 * next report of it would be a new finding without the decision. So do regressions, and accepted risks until they are due. A
 * proposed finding that no series has any more will never be resolved: it counts as resolved.
 */
export const isResolvedBefore = ({ findingRefs }: OrgTables, before: SQL | Placeholder): SQL =>
  sql`((status <> all (${sql.raw(`'{${UNRESOLVED.join(',')}}'`)})
      or (proposed and not exists (select from ${findingRefs} r where r.finding_id = id))) and accepted_until is null
    and not regressed and status_changed_at < ${before}::timestamptz and last_seen_at < ${before}::timestamptz)`;

/** A finding that was removed. */
export interface RemovedFinding {
  id: string;
  project_id: string;
  severity: Severity;
}

const lessened = SEVERITIES.map((severity) =>
  sql.raw(`'${severity}', greatest((k.summary ->> '${severity}')::int - r.${severity}, 0)`),
);

const bySeverity = SEVERITIES.map((severity) =>
  sql.raw(`count(*) filter (where severity = '${severity}') as ${severity}`),
);

/**
 * - Scans are locked by a query that computes nothing: otherwise Citus confuses the result with another one.
 * - A summary counts a finding by the severity that it had at the end of the scan, which is not stored.
 * - Sightings and decisions of rules are found by scan and rule, because their keys begin with these.
 */
const removeStatement = orgStatement<Condition, RemovedFinding>(
  (tables, $) => sql`
with gone as materialized (
  select id, project_id, severity, status, regressed, proposed, scan_id from ${tables.findings} where id = ${idsOf($)}
    and (${$.resolvedBefore}::timestamptz is null or ${isResolvedBefore(tables, $.resolvedBefore)})
), seen as materialized (
  select s.scan_id, s.finding_id from ${tables.scans} k join ${tables.sightings} s on s.scan_id = k.scan_id
  where k.project_id = any (array(select project_id from gone)) and s.finding_id = ${idsOfGone}
), reported as materialized (
  select scan_id, count(*) as total, ${sql.join(bySeverity, sql`, `)} from (
    select scan_id, severity from gone union all
    select s.scan_id, g.severity from seen s join gone g on g.id = s.finding_id
  ) r group by scan_id
), ended as materialized (
  select scan_id, summary from ${tables.scans}
  where scan_id = any (array(select scan_id from reported)) and status <> 'running' and summary is not null
  order by scan_id for no key update
), summed as materialized (
  select k.scan_id, json_build_object('total', greatest((k.summary ->> 'total')::int - r.total, 0),
    ${sql.join(lessened, sql`, `)}) as summary
  from ended k join reported r on r.scan_id = k.scan_id
), corrected as (
  update ${tables.scans} k set summary = s.summary from summed s where k.scan_id = s.scan_id
), without_exploits as (
  delete from ${tables.exploits} where finding_id = ${idsOfGone}
), without_events as (
  delete from ${tables.findingEvents} where finding_id = ${idsOfGone}
), without_decisions as (
  delete from ${tables.ruleChanges} where rule_id = any (array(select id from ${tables.rules})) and finding_id = ${idsOfGone}
), without_sightings as (
  delete from ${tables.sightings} s using seen where s.scan_id = seen.scan_id and s.finding_id = seen.finding_id
), without_refs as (
  delete from ${tables.findingRefs} where finding_id = ${idsOfGone}
), without_issues as (
  delete from ${tables.findingIssues} where finding_id = ${idsOfGone}
), removed as (
  delete from ${tables.findings} where id = ${idsOfGone}
), counted as (
  insert into ${tables.findingCounts} as c (project_id, severity, status, count, regressed, proposed)
  select project_id, severity, status, -count(*), -sum(regressed::int), -count(*) filter (where proposed) from gone ${onItsWorker(tables)}
  group by project_id, severity, status order by project_id, severity, status
  on conflict (project_id, severity, status) do update set count = c.count + excluded.count,
    regressed = c.regressed + excluded.regressed, proposed = c.proposed + excluded.proposed
)
select id, project_id, severity from gone`,
);

/** Locks what the removal of findings changes. A statement that follows sees what pushes in progress have written. */
export const lockForRemoval = (
  tx: SqlClient,
  tables: OrgTables,
  ids: readonly string[],
): Promise<unknown> => {
  const params = { ids: arrayText(ids), resolvedBefore: null };
  return Promise.all([lockRunningScans(tables).run(tx, params), lockFindings(tables).run(tx, params)]);
};

/** Removes findings in a transaction that has locked them. */
export const removeLocked = (
  tx: SqlClient,
  tables: OrgTables,
  ids: readonly string[],
): Promise<RemovedFinding[]> =>
  removeStatement(tables).run(tx, { ids: arrayText(ids), resolvedBefore: null });

/**
 * Removes findings with their exploits, activity, comments and sightings, and corrects the counts and the summaries of scans.
 * @param resolvedBefore leaves findings that are not resolved, or were changed or reported since then
 * @returns those that were removed
 */
export async function removeFindings(
  client: Sql,
  tables: OrgTables,
  ids: readonly string[],
  resolvedBefore?: Date,
): Promise<RemovedFinding[]> {
  const params = { ids: arrayText(ids), resolvedBefore: resolvedBefore?.toISOString() ?? null };
  const [, , removed] = await retried(() =>
    client.begin((tx) =>
      Promise.all([
        lockRunningScans(tables).run(tx, params),
        lockFindings(tables).run(tx, params),
        removeStatement(tables).run(tx, params),
      ]),
    ),
  );
  return removed;
}
