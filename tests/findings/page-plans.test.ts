import { beforeAll, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../db/client.ts';
import { type IndexedOrder, wholeList } from '../../db/findings/lists/order.ts';
import { createFindingPages, type FindingKind } from '../../db/findings/lists/pages.ts';
import { activityCsv, activityPage } from '../../db/findings/triage/org-activity.ts';
import { defineOrgTables, type OrgTables } from '../../db/schema/org.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { toQuery } from '../../db/statements.ts';
import type { TextQuery } from '../../db/stream.ts';
import { conditionsOf } from '../../lib/findings/filter/conditions.ts';
import { orderOf, SORTS } from '../../lib/findings/order.ts';
import { EXAMPLE_ID } from '../../lib/schema.ts';
import { createOrg, createScan, push } from '../support/api/api.ts';
import { afterSuite } from '../support/run/suite.ts';
import { startApp } from '../support/server/app.ts';

/** So few that reading all of them looks cheap. */
const FINDINGS = 3_000;

let database: Database;
let id: string;
let tables: OrgTables;

beforeAll(async () => {
  const t = await startApp();
  database = openDatabase({ url: t.databaseUrl, max: 1 });
  afterSuite(() => database.close());
  const org = await createOrg(t.api);
  await push(t.api, org, await createScan(t.api, org), { severity: 'high' });
  id = org.id;
  tables = defineOrgTables(orgSchemaName(id));
  const findings = `"${orgSchemaName(id)}".findings`;
  await database.sql.unsafe(`
    insert into ${findings} select (jsonb_populate_record(null::${findings}, to_jsonb(f) || jsonb_build_object(
      'id', gen_random_uuid(), 'fingerprint', 'n' || i))).*
    from ${findings} f, generate_series(1, ${FINDINGS}) i`);
  await database.sql.unsafe(`update "${orgSchemaName(id)}".finding_counts set count = count + ${FINDINGS}`);
  const events = `"${orgSchemaName(id)}".finding_events`;
  await database.sql.unsafe(`
    insert into ${events} (finding_id, at, id, kind, actor_id)
    select f.id, timestamptz '2026-01-01' + i * interval '1 hour', gen_random_uuid(),
      case i % 3 when 0 then 'status' when 1 then 'severity' else 'comment' end,
      case i % 20 when 0 then null when 1 then '${EXAMPLE_ID}'::uuid else gen_random_uuid() end
    from ${findings} f, generate_series(1, 40) i`);
  await database.sql.unsafe(`vacuum analyze ${findings}, ${events}`);
});

/** The plan that a connection uses after it has run the statement a few times. */
async function planOf({ sql, params }: TextQuery, mode = 'force_generic_plan'): Promise<string> {
  return await database.sql.begin(async (tx) => {
    await tx.unsafe(`set local plan_cache_mode = ${mode}`);
    await tx.unsafe(`prepare page as ${sql}`);
    const values = params.map((param) => `'${String(param).replaceAll("'", "''")}'`);
    const rows = await tx.unsafe<{ 'QUERY PLAN': string }[]>(
      `explain execute page${values.length > 0 ? `(${values.join(', ')})` : ''}`,
    );
    await tx.unsafe('deallocate page');
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });
}

it.each<[string, FindingKind, IndexedOrder]>([
  ['newest', {}, { by: 'created_at', descending: true }],
  ['severity', { severities: ['high'] }, { by: 'created_at', descending: true }],
  ['status, by severity', { statuses: ['open'] }, { by: 'severity', descending: true }],
  ['attention, by priority', { attention: true }, { by: 'priority', descending: true }],
])('a page of findings never reads all findings: %s', async (_, kind, order) => {
  const pages = createFindingPages({ of: () => database } as never);
  const window = { limit: 50, offset: 0 };
  const { total, rows } = await pages.ofKinds({ id, tables }, { as: 'json' }, kind, order, window);
  expect(total).toBe(FINDINGS + 1);
  const plan = await planOf(rows);
  expect(plan).toContain('using findings_pkey');
  expect(plan).not.toContain('Seq Scan on findings');
});

it('overdue findings are found by an index of unresolved ones', async () => {
  const { db } = database;
  const call = { db, org: { id, tables }, now: new Date() } as never;
  const { sql, params } = db
    .select({ id: tables.findings.id })
    .from(tables.findings)
    .where(conditionsOf(call, { overdue: true } as never))
    .toSQL();
  expect(await planOf({ sql, params: params as string[] })).toContain('findings_overdue');
});

it.each([
  ['all', {}, 'finding_events_newest'],
  ['of a time', { from: '2026-01-01', to: '2027-01-01' }, 'finding_events_newest'],
  ['of an actor', { actorId: EXAMPLE_ID }, 'finding_events_actor'],
  ['of the service', { actorId: null }, 'finding_events_actor'],
  ['of some kinds', { kinds: ['status' as const] }, 'finding_events_newest'],
])('a page of the activity is found by an index, and so is its file: %s', async (_, filter, name) => {
  const page = toQuery(activityPage(tables, filter, { limit: 50, offset: 100 }));
  for (const query of [page, activityCsv(tables, filter, { members: '{}', url: '' })]) {
    const plan = await planOf(query, 'force_custom_plan');
    // A bitmap, if all entries of an actor are read.
    expect(plan).toMatch(new RegExp(`(using|on) ${name}`));
    expect(plan).not.toContain('Seq Scan on finding_events');
    expect(plan).not.toContain('Seq Scan on findings');
  }
});

it.each(SORTS)('a whole list sorts ids and keys, not findings: %s', async (sort) => {
  const list = wholeList(tables, { as: 'json' }, { where: undefined, order: orderOf(tables, sort) });
  const rows = await database.sql.unsafe<{ 'QUERY PLAN': [{ Plan: Plan }] }[]>(
    `explain (verbose, format json) declare list no scroll cursor for ${list.sql}`,
  );
  const sorts = nodesOf(rows[0]?.['QUERY PLAN'][0].Plan).filter((node) => node['Node Type'] === 'Sort');
  const isOrderOfIds = sort.endsWith('created_at');
  expect(sorts).toHaveLength(isOrderOfIds ? 0 : 1);
  for (const { Output = [] } of sorts) expect(Output.join()).not.toMatch(/description|jsonb?_build/);
});

interface Plan {
  'Node Type': string;
  Output?: string[];
  Plans?: Plan[];
}

const nodesOf = (plan: Plan | undefined): Plan[] =>
  plan ? [plan, ...(plan.Plans ?? []).flatMap(nodesOf)] : [];
