import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { loadModule } from 'libpg-query';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { purgeEvents, removeDelivery } from '../../db/events/deliveries.ts';
import { defineOrgTables } from '../../db/schema/org.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import type { SqlClient } from '../../db/statements.ts';
import { orgMigrations, sharedMigrations } from '../../drizzle/migrations.ts';
import { endpoints } from '../../handlers/index.ts';
import { backupOrg } from '../../lib/admin/backup/backup.ts';
import { restoreBackup } from '../../lib/admin/backup/restore.ts';
import { recount } from '../../lib/admin/counts.ts';
import { setDomain } from '../../lib/admin/domains.ts';
import { migrate } from '../../lib/admin/migrations.ts';
import { listOrgFlags, provisionOrgFlag } from '../../lib/admin/org-flags.ts';
import { showOrg } from '../../lib/admin/orgs.ts';
import { purgeExpired } from '../../lib/maintenance/purge.ts';
import { purgeOrgs } from '../../lib/maintenance/purge-orgs.ts';
import { recheckAllIssues } from '../../lib/maintenance/recheck-issues.ts';
import { tellOfExpiringTokens } from '../../lib/notifications/expiring-tokens.ts';
import { startMails } from '../../lib/notifications/following.ts';
import { purgeCi } from '../../lib/tokens/ci/exchange.ts';
import { addSubscriber, choose, confirm } from '../notifications/kit.ts';
import { addMember, addProject, createOrg, createScan, must, push } from '../support/api/api.ts';
import { citusFaults, orgSchemasOf, SELECTS_FROM_NO_TABLE } from '../support/citus/faults.ts';
import { sendPushStatements } from '../support/citus/push-statements.ts';
import { type Analyzer, openAnalyzer } from '../support/citus/query-tree.ts';
import { partsOf, readStatements } from '../support/citus/syntax.ts';
import { planTour } from '../support/contract/tour.ts';
import { createDatabase, type TestDatabase } from '../support/database/database.ts';
import { tapWire, type Wire } from '../support/database/tap.ts';
import { startApp, type TestApp } from '../support/server/app.ts';
import { silentLog } from '../support/server/log.ts';

/*
 * Records all statements that the service sends while each endpoint succeeds, and checks them against the rules of Citus
 * (tests/support/citus/README.md).
 */

const DAY_MS = 86_400_000;
const root = resolve(import.meta.dirname, '../..');

let database: TestDatabase;
let wire: Wire;
let t: TestApp;
let analyzer: Analyzer;
/** The statements that were sent for an endpoint. */
const seen: Record<string, string[]> = {};
const statuses: Record<string, number[]> = {};

beforeAll(async () => {
  await loadModule();
  database = await createDatabase();
  wire = await tapWire(database.url);
  t = await startApp({ databaseUrl: wire.url, env: { SVC_AUTH_LIMITS: 'on' }, engine: 'citus' });
  analyzer = await openAnalyzer(database.url);
  for (const [name, call] of Object.entries(planTour(t))) {
    const answers = await call().catch((cause: Error) => {
      throw new Error(`${name}: ${cause.message}`, { cause });
    });
    statuses[name] = [answers].flat().map(({ status }) => status);
    seen[name] = wire.take();
  }
});

afterAll(async () => {
  await analyzer?.close();
  await Promise.all([t?.services.mail.stop(), t?.services.outbox.stop()]);
  await t?.services.database.close();
  await wire?.close();
  await database?.drop();
});

/** By its shape, the same for all organizations. */
const judged = new Map<string, Promise<string[]>>();

async function faultsOf(statements: string[]): Promise<string[]> {
  const faults = statements.map((text) => {
    const schemas = [...new Set(text.match(/org_[0-9a-f]{32}/g))];
    const shape = schemas.reduce((shape, schema, i) => shape.replaceAll(schema, `org_${i}`), text);
    const known = judged.get(shape) ?? citusFaults(text, analyzer);
    judged.set(shape, known);
    return known.then((faults) => faults.map((fault) => `${fault}: ${text}`));
  });
  return [...new Set((await Promise.all(faults)).flat())];
}

/** Endpoints that need no database, or no tables of an organization. */
const WITHOUT_STATEMENTS = [
  'authConfig',
  'metrics',
  'apiDocs',
  'openApiDocument',
  'openApiDocumentJson',
  'passkeyOptions',
  'unsubscribePage',
];
const WITHOUT_ORG_TABLES = ['listMembers'];

describe.each(Object.entries(endpoints))('%s', (name, { access }) => {
  it('was seen to succeed', () => {
    expect(statuses[name]?.length).toBeGreaterThan(0);
    expect(statuses[name]?.filter((status) => status >= 400)).toEqual([]);
    const statements = seen[name] ?? [];
    if (!WITHOUT_STATEMENTS.includes(name)) expect(statements.length).toBeGreaterThan(0);
    if ((access.kind === 'cookieOrg' || access.kind === 'bearer') && !WITHOUT_ORG_TABLES.includes(name))
      expect(statements.flatMap(orgSchemasOf)).not.toEqual([]);
  });

  it('sends nothing that Citus would refuse', async () => {
    expect(await faultsOf(seen[name] ?? [])).toEqual([]);
  });
});

it('limits callers to projects with nothing that Citus would refuse', async () => {
  const org = await createOrg(t.api);
  const other = await addProject(t.api, org);
  const cyd = await addMember(t.api, org);
  for (const project of [org, other]) {
    const { id } = await push(t.api, project, await createScan(t.api, project));
    must(await t.api.patch('/findings', { ...org.asOwner, body: { ids: [id], status: 'confirmed' } }));
    const assignment = { ...org.asOwner, body: { role: 'member' } };
    must(await t.api.put(`/projects/${project.projectId}/members/${cyd.id}`, assignment));
  }
  must(await t.api.patch(`/members/${cyd.id}`, { ...org.asOwner, body: { project_access: 'assigned' } }));
  const lists = Object.values(endpoints).flatMap(({ access, method, path }) =>
    access.kind === 'cookieOrg' && method === 'GET' && access.project !== 'none' && !path.includes('{')
      ? path.replace('/api/v1', '')
      : [],
  );
  const pages = ['', '&sort=due_at', '&q=sql', '&group_by=rule', '&changed_by=me'].map(
    (query) => `/findings?per_page=1${query}`,
  );
  wire.take();
  // As a member of several projects, and of one.
  for (const count of [2, 1]) {
    expect(must(await t.api.get('/projects', cyd.as))).toHaveLength(count);
    for (const path of [...lists, ...pages]) {
      const { status, error } = await t.api.get(path, cyd.as);
      if (error !== 'permission_error/denied') expect([path, status]).toEqual([path, 200]);
    }
    const body = { filter: { status: ['confirmed'] }, expected_count: count, status: 'fixed' };
    const { change_ids } = must(await t.api.patch('/findings', { ...cyd.as, body }));
    must(await t.api.post(`/changes/${change_ids[0]}/undo`, cyd.as));
    if (count === 2) await t.api.delete(`/projects/${other.projectId}/members/${cyd.id}`, org.asOwner);
  }
  const statements = wire.take();
  expect(statements.filter((text) => /project_id"? = any/.test(text)).length).toBeGreaterThan(10);
  expect(await faultsOf(statements)).toEqual([]);
});

it('migrations and commands send nothing that Citus would refuse', async () => {
  const { database, clock } = t.services;
  const org = await createOrg(t.api);
  const step = {
    name: 'one more',
    hash: 'hash',
    statements: ['alter table "org_template".projects add column more text'],
  };
  wire.take();
  const tracks = { shared: sharedMigrations, org: [...orgMigrations, step] };
  expect(await migrate(database, { tracks, org: org.slug })).toMatchObject({ failed: 0 });
  await recount(database, { migrations: tracks.org, org: org.slug });
  const call = { database, log: silentLog, migrations: tracks.org };
  await provisionOrgFlag(call, org.slug, 'require_mfa', false);
  await listOrgFlags(call, org.slug);
  await setDomain(database, org.slug, 'findings.example', undefined);
  await showOrg(call, org.slug, { bytes: 1, rows: 1 });
  await purgeExpired(database.db, clock());
  await purgeCi(database.db, defineOrgTables(orgSchemaName(org.id)), clock());
  const file = join(mkdtempSync(join(tmpdir(), 'backup-')), 'org.backup');
  const key = { kind: 'none' } as const;
  await backupOrg(call, org.slug, { key, file });
  await restoreBackup(call, file, { key, as: `${org.slug}-copy` });
  const statements = wire.take();
  expect(statements.flatMap(orgSchemasOf)).toContain(orgSchemaName(org.id));
  const faults = await faultsOf(statements);
  // A restore creates a schema, for which all workers are needed anyway.
  expect(faults.filter((fault) => !fault.startsWith(SELECTS_FROM_NO_TABLE))).toEqual([]);
});

it('events are published, delivered and purged with nothing that Citus would refuse', async () => {
  const { outbox, database, clock } = t.services;
  const org = await createOrg(t.api);
  const { sql } = database;
  await sql.unsafe(
    `insert into shared.destinations (id, org_id, kind, url, secret, events, enabled, created_at, updated_at)
      values (gen_random_uuid(), $1, 'webhook', 'https://127.0.0.1', 'plain.whsec_AAAA', '{project.*,finding.overdue}', true, now(), now())`,
    [org.id],
  );
  await outbox.run();
  must(await t.api.patch(`/projects/${org.projectId}`, { ...org.asOwner, body: { name: 'Renamed' } }));
  const { id } = await push(t.api, org, await createScan(t.api, org));
  const due_at = new Date(clock().getTime() + 60_000).toISOString();
  must(await t.api.patch(`/findings/${id}`, { ...org.asOwner, body: { due_at } }));
  wire.take();
  t.advance(2 * 60_000);
  await outbox.run();
  const tables = defineOrgTables(orgSchemaName(org.id));
  await removeDelivery(sql, tables, id, id);
  await purgeEvents(sql, tables, clock());
  const statements = wire.take();
  const texts = statements.join('\n');
  for (const part of [
    'set seq',
    'array_agg(id order by due_at, id)',
    'attempts = attempts + 1',
    'update "shared"."destinations"',
  ])
    expect(texts).toContain(part);
  expect(await faultsOf(statements)).toEqual([]);
});

it('organizations are purged, and issues read again, with nothing that Citus would refuse', async () => {
  const { sql } = t.services.database;
  const org = await createOrg(t.api);
  await sql.unsafe(
    `insert into shared.destinations (id, org_id, kind, name, url, secret, events, tracker, enabled, created_at, updated_at)
      values (gen_random_uuid(), $1, 'github', 'Web', 'https://127.0.0.1', 'plain.token', '{issue.requested}',
        '{"project":"acme/web","labels":[]}', true, now(), now())`,
    [org.id],
  );
  wire.take();
  await purgeOrgs(t.services);
  await recheckAllIssues(t.services);
  const statements = wire.take();
  const texts = statements.join('\n');
  for (const part of ["set state = 'gone'", 'select distinct destination_id', 'insert into "org_'])
    expect(texts).toContain(part);
  expect(await faultsOf(statements)).toEqual([]);
});

it('mails about findings and tokens are written with nothing that Citus would refuse', async () => {
  const { outbox, clock } = t.services;
  const org = await createOrg(t.api);
  const grace = await addSubscriber(t, org, { assigned: 'now', mentioned: 'daily', token_expiring: 'now' });
  await choose(t, org.owner, { token_expiring: 'weekly' });
  await confirm(t, org.owner.id);
  const expires_in = 30;
  must(await t.api.post('/profile/tokens', { cookie: grace.cookie, body: { name: 'a', expires_in } }));
  const path = `/projects/${org.projectId}/tokens`;
  must(await t.api.post(path, { ...org.asOwner, body: { name: 'a', expires_in } }));
  wire.take();
  const { id } = await push(t.api, org, await createScan(t.api, org));
  must(await t.api.patch(`/findings/${id}`, { ...org.asOwner, body: { assignee_id: grace.id } }));
  for (let n = 0; n < 2; n++) {
    const body = { body: `@[Grace](${grace.id})` };
    must(await t.api.post(`/findings/${id}/comments`, { ...org.asOwner, body }));
    await outbox.publish(org.id);
    await outbox.run();
  }
  t.advance(24 * DAY_MS);
  await tellOfExpiringTokens({ ...t.services, clock });
  await startMails(t.services.database.db, clock());
  // Renders the digest.
  await t.services.mail.deliverDue();
  const statements = wire.take();
  const texts = statements.join('\n');
  for (const part of [
    'insert into "shared"."rate_limits"',
    'sealed = c.sealed',
    '"expiry_told_at" =',
    'select distinct',
    'left join "shared"."org_deletions"',
  ])
    expect(texts).toContain(part);
  expect(await faultsOf(statements)).toEqual([]);
});

it('pushes on Citus are statements that it sends to a worker as they are', async () => {
  const org = await createOrg(t.api);
  const tables = defineOrgTables(orgSchemaName(org.id));
  const texts: string[] = [];
  const client = {
    unsafe: (text: string) => {
      texts.push(text);
      return Promise.resolve([]);
    },
  } as unknown as SqlClient;
  await sendPushStatements(client, tables);
  expect(texts).toHaveLength(8);
  expect(await faultsOf(texts)).toEqual([]);
  for (const text of texts) {
    const [statement] = readStatements(text);
    // Citus routes one INSERT, or a SELECT with a CTE that updates.
    const inserts = partsOf(statement?.body.withClause ?? {}, 'InsertStmt');
    expect([text, inserts]).toEqual([text, []]);
  }
});

it('shared tables know no organization', () => {
  const statements = sharedMigrations.flatMap((migration) => migration.statements);
  expect(statements.flatMap(orgSchemasOf)).toEqual([]);
});

it('every table of an organization has a primary key', async () => {
  const keyless = await t.services.database.sql.unsafe(`
    select c.oid::regclass::text from pg_class c
    where c.relkind in ('r', 'p') and c.relnamespace::regnamespace::text like 'org\\_%'
      and not exists (select from pg_constraint k where k.conrelid = c.oid and k.contype = 'p')`);
  expect([...keyless]).toEqual([]);
});

it('no code branches on the name of a constraint, which Citus does not tell', () => {
  const files = ['db', 'lib', 'handlers'].flatMap((dir) =>
    readdirSync(join(root, dir), { recursive: true, encoding: 'utf8' }).map((file) => join(root, dir, file)),
  );
  const branching = files
    .filter((file) => file.endsWith('.ts'))
    .filter((file) => /\bconstraint_name\b|\btable_name\b/.test(readFileSync(file, 'utf8')));
  expect(files.length).toBeGreaterThan(100);
  expect(branching).toEqual([]);
});

/** ORG and OTHER stand for two organizations' schemas. */
const inOrgs = (text: string) => {
  const [one = '', other = ''] = schemas;
  return text.replaceAll('ORG', `"${one}"`).replaceAll('OTHER', `"${other}"`);
};
let schemas: string[];
beforeAll(async () => {
  const rows = await t.services.database.sql.unsafe<{ id: string }[]>(
    'select id from shared.orgs where schema_version > 0 order by id',
  );
  schemas = rows.map(({ id }) => orgSchemaName(id));
});

const PROJECT = 'insert into ORG.projects (id, name, slug, created_at) values ($1, $2, $3, $4)';
const BREAKING: [statement: string, fault: string][] = [
  ['select 1 from ORG.scans join OTHER.scans using (scan_id)', 'two organizations'],
  ['insert into ORG.projects select * from OTHER.projects', 'two organizations'],
  ['with x as (delete from shared.settings) select 1 from ORG.scans', 'writes to shared'],
  ['insert into shared.settings select name, slug from ORG.projects', 'writes to shared'],
  ['select exists (select from ORG.scans) from shared.users', 'a SELECT of no columns beside shared'],
  [
    'select 1 from shared.users u where exists (select 1 from ORG.scans s where s.scan_id = u.id)',
    'a SELECT of shared with a condition on the organization',
  ],
  [
    "insert into ORG.scans (scan_id, name) select scan_id, case name when 'a' then 'b' end from ORG.scans",
    'CASE with an operand',
  ],
  [
    'insert into ORG.scans (scan_id, name) select scan_id, created_at::text from ORG.scans',
    'an INSERT of a SELECT with timestamptz_out()',
  ],
  [
    'with x as (select name from ORG.scans) insert into ORG.scans (name) select x.name from x, ORG.projects',
    'an INSERT beside a CTE',
  ],
  [
    'with x as (select name from ORG.scans), y as (insert into ORG.scans (name) select name from x) select 1',
    'an INSERT that selects from no table',
  ],
  [
    'with x as (insert into ORG.scans (name) select created_at::text from ORG.projects) select 1',
    'an INSERT of a SELECT with timestamptz_out()',
  ],
  [
    'with x as (select lower(name) as name from ORG.scans for update) update ORG.scans s set name = x.name from x',
    'a function in a SELECT that locks rows',
  ],
  [
    'with x as (select s.name from ORG.scans s join ORG.projects p using (name) for update) update ORG.scans s set name = x.name from x',
    'a join in a SELECT that locks rows',
  ],
  ['delete from ORG.exploits; delete from ORG.findings', 'several statements'],
  ['select 1 from scans', 'scans without its schema'],
  [`${PROJECT} on conflict (id) do update set slug = lower(excluded.slug)`, 'DO UPDATE SET'],
  [`${PROJECT} on conflict (id) do update set created_at = now()`, 'DO UPDATE SET'],
  [`${PROJECT} on conflict (id) do update set created_at = current_timestamp`, 'DO UPDATE'],
  [
    `${PROJECT.replace('projects', 'projects as p')} on conflict (id) do update set created_at = p.created_at + $5`,
    'DO UPDATE SET with timestamptz_pl_interval()',
  ],
  [PROJECT.replace('$1, $2, $3, $4', 'gen_random_uuid(), $1, $2, $3'), 'INSERT of gen_random_uuid()'],
  [PROJECT.replace('$4', 'now()'), 'INSERT of now()'],
  ['update ORG.projects set slug = random()::text', 'random(), which is volatile'],
  ['delete from ORG.projects where created_at < clock_timestamp()', 'clock_timestamp()'],
  [
    "update ORG.projects set created_at = created_at + interval '1 day'",
    'timestamptz_pl_interval() of a column',
  ],
  ['update ORG.scans set target = to_json(name)', 'to_json() of a column'],
  ['update ORG.projects set created_at = slug::timestamptz', 'timestamptz_in()'],
  ['update ORG.projects set slug = created_at::text', 'timestamptz_out()'],
  [
    "with gone as (delete from ORG.projects returning to_char(created_at, 'YYYY') as year) select * from gone",
    'to_char() of a column',
  ],
  ['update ORG.scans set completed_at = coalesce(completed_at, now())', 'now() within'],
  ['update ORG.scans set completed_at = case when $1 then now() end', 'now() within'],
  ['merge into ORG.scans s using ORG.projects p on p.id = s.project_id when matched then delete', 'MERGE'],
  ["prepare transaction 'one'", 'PREPARE TRANSACTION'],
  ['select pg_advisory_xact_lock(1) from ORG.scans', 'an advisory lock'],
  ['select pg_advisory_xact_lock(1), pg_advisory_xact_lock(2)', 'an advisory lock'],
  ['select 1 where pg_try_advisory_lock(1)', 'an advisory lock'],
  ["set local app.org = 'acme'", 'a variable of our own'],
  ["select set_config('app.org', $1, true)", 'a variable of our own'],
  ['set statement_timeout = 0', 'a setting of the session'],
  ['select pg_advisory_lock(1)', 'a lock of the session'],
  ['listen mails', 'LISTEN'],
  ['declare c cursor with hold for select 1 from ORG.scans', 'a cursor of the session'],
  ['prepare one as select 1', 'PREPARE'],
  ['create policy own on ORG.scans using (true)', 'row security'],
  ['alter table ORG.scans enable row level security', 'row security'],
  ['do $$ begin end $$', 'a DO block'],
  ["create function ORG.one() returns int language sql as 'select 1'", 'a function'],
  ['create schema ORG create table x (id int primary key)', 'within CREATE SCHEMA'],
  ['create table ORG.x (id int)', 'without a primary key'],
  ['create table ORG.x (id bigserial primary key)', 'a serial column'],
  ['create table ORG.x (id int generated always as identity primary key)', 'an identity column'],
  ['alter table ORG.scans alter persona add generated always as identity', 'an identity column'],
  ['create table ORG.x (id uuid primary key default gen_random_uuid())', 'a default'],
  ['alter table ORG.scans add column at timestamptz default now()', 'a default'],
  ['create trigger t after insert on ORG.scans execute function f()', 'a trigger'],
  ['create table ORG.x (primary key (scan_id)) inherits (ORG.scans)', 'inheritance'],
  ['create table ORG.x (id int primary key) partition by hash (id)', 'inheritance'],
  ['create statistics ORG.x on project_id, status from ORG.scans', 'CREATE STATISTICS'],
  ['alter table ORG.scans add check (persona <> $$x$$)', 'a constraint without a name'],
  ['create table ORG.x (id int primary key, y int unique)', 'a constraint without a name'],
  ['create index on ORG.scans (name)', 'an index without a name'],
  ['alter table ORG.scans rename constraint scans_status to status', 'renaming'],
  ['alter table ORG.scans add column x int constraint c check (x > 0)', 'within ADD COLUMN'],
  [
    'alter table ORG.scans add constraint u foreign key (x) references shared.users (id)',
    'a foreign key to another schema',
  ],
  ['create table ORG.x (id int primary key constraint x_y references OTHER.y (id))', 'two organizations'],
  ['alter table ORG.scans set unlogged', 'AT_SetUnLogged, which was never tried'],
  ['grant usage on sequence ORG.x to public', 'rights on other objects than tables'],
  ['create view ORG.v as select 1 from ORG.scans', 'ViewStmt, which was never tried'],
];

it.each(BREAKING)('refuses %s', async (statement, fault) => {
  expect((await citusFaults(inOrgs(statement), analyzer)).join()).toContain(fault);
});

it.each([
  'update ORG.scans set completed_at = now() where created_at < $1',
  'update ORG.scans set completed_at = now() + $1::interval',
  'with x as materialized (select scan_id, created_at + $1 as at from ORG.scans) update ORG.scans s set completed_at = x.at from x where x.scan_id = s.scan_id',
  'with x as (select scan_id from ORG.scans for no key update skip locked) delete from ORG.scans s using x where s.scan_id = x.scan_id',
  `${PROJECT} on conflict (id) do update set name = coalesce(excluded.name, $2) returning *, (xmax <> 0) as known`,
  'select row_to_json(s), now() from ORG.scans s join shared.memberships m on m.role = s.name',
  'select exists (select 1 from ORG.scans) from shared.users',
  'select 1 from ORG.projects where not exists (select from ORG.scans)',
  "update ORG.scans set name = case when name = 'a' then 'b' end",
  "select case name when 'a' then 1 end from ORG.scans",
  'select pg_advisory_xact_lock($1)',
  'set local citus.enable_schema_based_sharding = off',
  'declare c no scroll cursor for select name from ORG.scans',
  'revoke update, delete on ORG.scans from current_user',
  'set transaction read only; set local statement_timeout = 0',
])('allows %s', async (statement) => {
  expect(await citusFaults(inOrgs(statement), analyzer)).toEqual([]);
});
