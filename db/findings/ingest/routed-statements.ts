import { type SQL, sql } from 'drizzle-orm';
import type { OrgTables } from '../../schema/org.ts';
import { SEVERITIES } from '../../schema/values.ts';
import { listText, orgStatement, type Placeholders, type SqlClient } from '../../statements.ts';
import type { PushRow } from './push.ts';
import {
  type InputColumn,
  insertedColumns,
  insertedValues,
  policyInput,
  pushedInput,
  returnedColumns,
  takesNoPushes,
  updates,
} from './push-sql.ts';

/*
 * The statements of `routed.ts`. Citus sends a statement to the worker of the organization as it is if it names only tables of the
 * organization and only its outermost command inserts. A recordset with column definitions does not survive that, so rows are
 * given as arrays, one for each column; and an insert of rows from arrays alone would run on the coordinator, so each joins a
 * table that has a row for every given one. With a stable function, such as a cast of a text to a time, Citus sends an INSERT with
 * a syntax error.
 */

type Arrays = Record<string, string>;

/** `unnest` of a parameter for each column. */
const rowsOf = ($: Placeholders<Arrays>, columns: readonly InputColumn[]): SQL => {
  const arrays = columns.map(({ name, sqlType }) => sql`${$[name]}::${sql.raw(sqlType)}[]`);
  return sql`unnest(${sql.join(arrays, sql`, `)})`;
};

const namesOf = (columns: readonly InputColumn[]): SQL =>
  sql.raw(columns.map(({ name }) => `"${name}"`).join(', '));

const toArrays = (columns: readonly InputColumn[], rows: readonly object[]): Arrays =>
  Object.fromEntries(
    columns.map(({ name }) => [name, listText(rows.map((row) => (row as Record<string, unknown>)[name]))]),
  );

/** A statement that inserts given rows; runs if there are any. @param types of the columns */
function insertStatement<Given extends object>(
  types: Record<keyof Given & string, string>,
  build: (tables: OrgTables, rows: SQL, names: SQL) => SQL,
) {
  const columns = Object.entries<string>(types).map(([name, sqlType]) => ({ name, sqlType }));
  const statement = orgStatement<Arrays, object>((tables, $) =>
    build(tables, rowsOf($, columns), namesOf(columns)),
  );
  return async (client: SqlClient, tables: OrgTables, rows: readonly Given[]): Promise<void> => {
    if (rows.length > 0) await statement(tables).run(client, toArrays(columns, rows));
  };
}

/** A registered scan of a batch. */
export interface LockedScan {
  scan_id: string;
  project_id: string;
  status: string;
  series_id: string | null;
  tracked: boolean;
  /** The version of the policies. */
  version: number;
  /** Its project moves to another organization: it takes no pushes, and is not locked. */
  moves: boolean;
}

/** Locks the scans of a batch against their end, and sets `last_used` of its tokens. A token that is locked is skipped. */
export const lockStatement = orgStatement<{ scanIds: string; actorIds: string; now: string }, LockedScan>(
  ({ apiTokens, policyVersions, projects, scans }, $) => sql`
with touched as (
  update ${apiTokens} set last_used = ${$.now}::timestamptz where id in (
    select id from ${apiTokens} where id = any (${$.actorIds}::uuid[]) for no key update skip locked)
  returning id
), locked as materialized (
  select s.scan_id, s.project_id, s.status, s.series_id, s.tracked from ${scans} s where s.scan_id = any (${$.scanIds}::text[])
    and not exists (select 1 from ${projects} p where p.id = s.project_id and ${sql.raw(takesNoPushes)}) for share
)
select l.*, coalesce((select version from ${policyVersions}), 0) as version, false as moves from locked l
union all
select s.scan_id, s.project_id, s.status, s.series_id, s.tracked, 0, true from ${scans} s join ${projects} p on p.id = s.project_id
where s.scan_id = any (${$.scanIds}::text[]) and p.transfer is not null`,
);

/** The due date for a severity, null for all if there are none: an array of arrays would lose their limits. */
const DUE_DATES: readonly InputColumn[] = SEVERITIES.map((name) => ({
  name: `due_if_${name}`,
  sqlType: 'timestamptz',
}));

const INPUT: readonly InputColumn[] = [
  { name: 'id', sqlType: 'uuid' },
  { name: 'at', sqlType: 'timestamptz' },
  { name: 'actor_id', sqlType: 'uuid' },
  ...policyInput.filter(({ name }) => name !== 'due_dates'),
  ...pushedInput,
  { name: 'has_due_dates', sqlType: 'boolean' },
  ...DUE_DATES,
];

const dueDates = sql.raw(
  `case when r.has_due_dates then array[${DUE_DATES.map(({ name }) => `r.${name}`).join(', ')}] end as due_dates`,
);

/** A finding after a push: the columns that the API shows, and these. */
export interface InsertedRow extends Record<string, unknown> {
  id: string;
  project_id: string;
  fingerprint: string;
  scan_id: string;
  last_scan_id: string;
  last_seen_at: string;
  status: string;
  severity: string;
  severity_before: string | null;
  regressed: boolean;
  regressed_before: boolean | null;
  proposed: true | null;
  proposed_before: true | null;
  due_at: string | null;
  due_before: string | null;
  deduplicated: boolean;
}

export const insertPushesStatement = orgStatement<Arrays & { version: number | null }, InsertedRow>(
  ({ findings, policyVersions, projects, scans }, $) => sql`
insert into ${findings} as f (
    ${sql.raw(insertedColumns)})
  select
    ${sql.raw(insertedValues('i'))}
  from (
    select r.*, ${dueDates}, case when not s.tracked then true end as proposed from ${rowsOf($ as Placeholders<Arrays>, INPUT)} as r(${namesOf(INPUT)})
    join ${scans} s on s.scan_id = r.scan_id and s.project_id = r.project_id
  ) i
  where not exists (select 1 from ${projects} p where p.id = i.project_id and ${sql.raw(takesNoPushes)})
    and (${$.version}::int is null or ${$.version}::int = coalesce((select version from ${policyVersions}), 0))
  order by i.project_id, i.fingerprint
  on conflict (project_id, fingerprint) do update set
    ${sql.raw(updates('f'))}
  returning
    ${sql.raw(returnedColumns('f'))}`,
);

/** Writes the pushes for registered scans, unless another version of the policies is stored. */
export function insertPushes(
  client: SqlClient,
  tables: OrgTables,
  rows: readonly (PushRow & { actor_id: string })[],
  version: number | null,
): Promise<InsertedRow[]> {
  const given = rows.map(({ due_dates, ...row }) => ({
    ...{ ...row, has_due_dates: due_dates !== undefined },
    ...Object.fromEntries(DUE_DATES.map(({ name }, i) => [name, due_dates?.[i]])),
  }));
  return insertPushesStatement(tables).run(client, { ...toArrays(INPUT, given), version } as never);
}

/** By how much the counts of a kind of findings change. */
export interface CountChange {
  project_id: string;
  severity: string;
  status: string;
  count: number;
  regressed: number;
  proposed: number;
}

/** Counts are locked in the order of their key. */
export const changeCounts = insertStatement<CountChange>(
  {
    project_id: 'uuid',
    severity: 'text',
    status: 'text',
    count: 'bigint',
    regressed: 'bigint',
    proposed: 'bigint',
  },
  ({ findingCounts, projects }, rows, names) => sql`
insert into ${findingCounts} as c (${names})
select r.* from ${rows} as r(${names}) join ${projects} p on p.id = r.project_id
order by r.project_id, r.severity, r.status
on conflict (project_id, severity, status) do update set count = c.count + excluded.count,
  regressed = c.regressed + excluded.regressed, proposed = c.proposed + excluded.proposed`,
);

/** A change of a finding by a push or by a rule. */
export interface PushEvent {
  finding_id: string;
  at: string;
  push_id: string;
  kind: string;
  actor_id: string;
  scan_id: string;
  from?: string | null;
  to?: string | null;
  reason?: string | null;
  rule_id?: string;
}

export const addEvents = insertStatement<PushEvent>(
  {
    finding_id: 'uuid',
    at: 'timestamptz',
    push_id: 'uuid',
    kind: 'text',
    actor_id: 'uuid',
    scan_id: 'text',
    from: 'text',
    to: 'text',
    reason: 'text',
    rule_id: 'uuid',
  },
  ({ findingEvents, findings, rules }, rows, names) => sql`
insert into ${findingEvents} (finding_id, at, id, kind, actor_id, scan_id, "from", "to", reason, note)
select e.finding_id, e.at, md5(e.push_id::text || e.kind)::uuid, e.kind, e.actor_id, e.scan_id,
  e."from", e."to", e.reason,
  case when e.kind = 'status' then (select actions ->> 'note' from ${rules} where id = e.rule_id) end
from ${rows} as e(${names}) join ${findings} f on f.id = e.finding_id`,
);

/** A decision of a rule about a new finding, of which others are told. */
export interface Told {
  finding_id: string;
  at: string;
  type: string;
  rule_id: string;
}

export const addTold = insertStatement<Told>(
  { finding_id: 'uuid', at: 'timestamptz', type: 'text', rule_id: 'uuid' },
  ({ events, findings }, rows, names) => sql`
insert into ${events} (id, at, type, actor_id, finding_ids)
select md5(r.type || min(r.finding_id::text))::uuid, min(r.at), r.type, r.rule_id, array_agg(r.finding_id order by r.finding_id)
from ${rows} as r(${names}) join ${findings} f on f.id = r.finding_id group by r.type, r.rule_id`,
);

export const addRuleChanges = insertStatement<{ rule_id: string; finding_id: string }>(
  { rule_id: 'uuid', finding_id: 'uuid' },
  ({ findings, ruleChanges }, rows, names) => sql`
insert into ${ruleChanges} (${names})
select r.* from ${rows} as r(${names}) join ${findings} f on f.id = r.finding_id`,
);

export const addSightings = insertStatement<{ scan_id: string; finding_id: string }>(
  { scan_id: 'text', finding_id: 'uuid' },
  ({ findings, sightings }, rows, names) => sql`
insert into ${sightings} (${names})
select r.* from ${rows} as r(${names}) join ${findings} f on f.id = r.finding_id
on conflict do nothing`,
);

export const addRefs = insertStatement<{
  finding_id: string;
  series_id: string;
  last_seen_at: string;
  last_scan_id: string;
}>(
  { finding_id: 'uuid', series_id: 'uuid', last_seen_at: 'timestamptz', last_scan_id: 'text' },
  ({ findingRefs, findings }, rows, names) => sql`
insert into ${findingRefs} as r (finding_id, series_id, first_seen_at, last_seen_at, last_scan_id)
select n.finding_id, n.series_id, n.last_seen_at, n.last_seen_at, n.last_scan_id
from ${rows} as n(${names}) join ${findings} f on f.id = n.finding_id
on conflict (finding_id, series_id) do update set
  last_seen_at = excluded.last_seen_at, last_scan_id = excluded.last_scan_id, missing_since = null
where r.last_scan_id <> excluded.last_scan_id or r.missing_since is not null`,
);

/** The outcome of a push under an idempotency key. */
export interface PushRecord {
  key: string;
  position: number;
  created_at: string;
  has_scan: boolean;
  finding_id: string | undefined;
  deduplicated: boolean | undefined;
  regressed: boolean | undefined;
  status: string | undefined;
}

export const addRecords = insertStatement<PushRecord>(
  {
    key: 'uuid',
    position: 'int',
    created_at: 'timestamptz',
    has_scan: 'boolean',
    finding_id: 'uuid',
    deduplicated: 'boolean',
    regressed: 'boolean',
    status: 'text',
  },
  ({ idempotencyKeys }, rows, names) => sql`
insert into ${idempotencyKeys} (${names})
select r.* from ${rows} as r(${names}) join ${idempotencyKeys} k on k.key = r.key and k.position = -1
order by r.key, r.position`,
);
