import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { type Database, openDatabase } from '../../db/client.ts';
import type { Migration } from '../../db/migrations/migrate.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { orgMigrations, sharedMigrations } from '../../drizzle/migrations.ts';
import { ConfigError } from '../../lib/config/parse.ts';
import { housekeeping } from '../../lib/maintenance/housekeeping.ts';
import { prepareDatabase } from '../../lib/node/prepare-database.ts';
import { admin } from '../support/admin/command.ts';
import { createOrg, createScan, must, push, type TestOrg } from '../support/api/api.ts';
import { planTour } from '../support/contract/tour.ts';
import { withDatabase } from '../support/database/scratch.ts';
import { afterSuite } from '../support/run/suite.ts';
import { startApp, type TestApp } from '../support/server/app.ts';
import { silentLog } from '../support/server/log.ts';

/*
 * `shared` belongs to a role of its own, which an administrator without superuser rights has set up, as on a managed PostgreSQL.
 * The service runs as a role that cannot change what it need not.
 */

const SUFFIX = randomBytes(4).toString('hex');
const [ADMIN, SERVICE, OWNER] = ['manager', 'findings', 'findings_owner'].map(
  (name) => `${name}_${SUFFIX}`,
) as [string, string, string];

const superuser = openDatabase({ url: inject('postgresUrl'), max: 1 });
const urlOf = (role: string, database: string) =>
  Object.assign(new URL(withDatabase(inject('postgresUrl'), database)), {
    username: role,
    password: 'secret',
  }).href;

/** Makes an empty database as the administrator, with `owner` as its owner. */
async function makeDatabase(name: string, owner: string): Promise<void> {
  const { sql, close } = openDatabase({ url: urlOf(ADMIN, 'postgres'), max: 1 });
  await sql.unsafe(`grant ${owner} to current_user`);
  await sql.unsafe(`create database ${name} template template0 owner ${owner}`);
  await close();
}

const run = (database: string, ...args: string[]) =>
  admin(urlOf(SERVICE, database), args, { env: { DATABASE_MIGRATION_URL: urlOf(OWNER, database) } });

/** Runs the script that is delivered, as the administrator. */
async function separateRoles(database: string): Promise<void> {
  const path = resolve(import.meta.dirname, '../../deploy/postgres/migration-role.sql');
  const values: Record<string, string> = { service: SERVICE, owner: OWNER };
  const text = (await readFile(path, 'utf8')).replace(/:'(\w+)'/g, (_, name) => `'${values[name]}'`);
  const { sql, close } = openDatabase({ url: urlOf(ADMIN, database), max: 1 });
  await sql.unsafe(text);
  await close();
}

const DATABASES = [`roles_${SUFFIX}`, `roles_empty_${SUFFIX}`] as const;
const [MAIN, EMPTY] = DATABASES;
const ROLES = [SERVICE, OWNER, ADMIN];

let t: TestApp;
let service: Database;
let owner: Database;
let org: TestOrg;

beforeAll(async () => {
  await superuser.sql.unsafe(`create role ${ADMIN} login createrole createdb password 'secret'`);
  const manager = openDatabase({ url: urlOf(ADMIN, 'postgres'), max: 1 });
  for (const role of [SERVICE, OWNER])
    await manager.sql.unsafe(`create role ${role} login password 'secret'`);
  await manager.close();
  afterSuite(async () => {
    for (const name of DATABASES) await superuser.sql.unsafe(`drop database if exists ${name} with (force)`);
    for (const role of ROLES) await superuser.sql.unsafe(`drop role ${role}`);
    await superuser.close();
  });

  // A deployment with one role, in which an organization has data.
  await makeDatabase(MAIN, SERVICE);
  expect(await admin(urlOf(SERVICE, MAIN), ['migrate'])).toMatchObject({ code: 0 });
  t = await startApp({ databaseUrl: urlOf(SERVICE, MAIN) });
  org = await createOrg(t.api);
  await push(t.api, org, await createScan(t.api, org));

  await separateRoles(MAIN);
  // Between the script and the migration, servers go on.
  await push(t.api, org, await createScan(t.api, org));
  expect(await run(MAIN, 'migrate')).toMatchObject({ code: 0 });
  await separateRoles(MAIN);
  const migrations = await Promise.all([1, 2, 3].map(() => run(MAIN, 'migrate')));
  expect(migrations.map(({ code, err }) => [code, err])).toEqual(Array(3).fill([0, '']));

  service = openDatabase({ url: urlOf(SERVICE, MAIN), max: 1 });
  owner = openDatabase({ url: urlOf(OWNER, MAIN), max: 1 });
  afterSuite(() => Promise.all([service.close(), owner.close()]));
});

describe('the role of the service', () => {
  it('is enough for every endpoint and every periodic task', async () => {
    await prepareDatabase(t.databaseUrl, silentLog);
    for (const [name, call] of Object.entries(planTour(t)))
      for (const { status, error } of [await call()].flat())
        expect([name, status < 400 ? undefined : error]).toEqual([name, undefined]);
    const { slug: deleted, asOwner } = await createOrg(t.api);
    must(await t.api.delete(`/orgs/${deleted}`, { ...asOwner, body: { confirm: deleted } }));
    t.advance(40 * 24 * 60 * 60_000);
    for (let round = 0; round < 3; round++) {
      for (const { run: task } of housekeeping(t.services)) await task();
      t.advance(3 * 24 * 60 * 60_000);
    }
    expect(await service.sql.unsafe('select from shared.orgs where slug = $1', [deleted])).toHaveLength(0);
  });

  it.each([
    'drop schema shared cascade',
    'drop table shared.users cascade',
    'alter table shared.users add column is_admin boolean',
    'alter table shared.memberships disable trigger all',
    'alter table shared.users owner to current_user',
    'truncate shared.sessions',
    'create table shared.other (id int)',
    'create index on shared.users (name)',
    'create trigger t before insert on shared.users execute function suppress_redundant_updates_trigger()',
    'create table public.other (id uuid references shared.users)',
    "insert into shared.migrations (name, hash, applied_at) values ('9999_x', 'x', now())",
    "update shared.migrations set hash = 'x'",
    'delete from shared.migrations',
    "update shared.org_migrations set hash = 'x'",
    'delete from shared.org_migrations',
    'update shared.feature_flags set enabled = true',
    "insert into shared.settings (key, value) values ('a', 'b')",
    'delete from shared.operator_events',
    "update shared.operator_events set operator = 'somebody'",
    `insert into shared.operator_events (id, at, operator, command, details) values (gen_random_uuid(), now(), 'x', 'x', '{}')`,
    'set role OWNER',
    "alter role OWNER password 'x'",
    "alter database MAIN set search_path = 'x'",
    'drop database MAIN',
    'alter table NO_TABLES.findings drop constraint no_rows',
  ])('cannot %s', async (statement) => {
    const [empty] = await service.sql.unsafe<{ name: string }[]>(
      "select nspname as name from pg_namespace where starts_with(nspname::text, 'empty_org_')",
    );
    const names: Record<string, string | undefined> = { OWNER, MAIN, NO_TABLES: empty?.name };
    const text = statement.replace(/[A-Z_]{4,}/, (name) => names[name] ?? name);
    await expect(service.sql.unsafe(text)).rejects.toMatchObject({
      code: '42501',
    });
  });

  it('owns the schemas of organizations, which it creates', async () => {
    const [row] = await service.sql.unsafe<{ owner: string }[]>(
      'select tableowner as owner from pg_tables where schemaname = $1 limit 1',
      [orgSchemaName(org.id)],
    );
    expect(row?.owner).toBe(SERVICE);
  });
});

describe('commands of operators', () => {
  it('need the owner of shared for what the service cannot change', async () => {
    for (const args of [
      ['flags', 'set', 'public_api', 'on'],
      ['settings', 'set', 'motd', 'x'],
      ['orgs', 'recount', org.slug],
    ]) {
      const refused = await admin(t.databaseUrl, args);
      expect(refused.code).toBe(1);
      expect(refused.err).toMatch(/permission denied for table operator_events .*DATABASE_MIGRATION_URL/);
      expect(await run(MAIN, ...args)).toMatchObject({ code: 0 });
    }
    expect((await run(MAIN, 'settings', 'unset', 'motd')).code).toBe(0);
    const events = JSON.parse((await admin(t.databaseUrl, ['events', 'list', '--json'])).out);
    expect(events[0]).toMatchObject({ command: 'settings unset', outcome: 'done' });
  });

  it('leave what they create in organizations to the service', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'roles-')), 'org.backup');
    for (const args of [
      ['backup', org.slug, '--plain', '--file', file],
      ['restore-backup', file, '--plain', '--as', 'restored'],
    ]) {
      const { code, err } = await run(MAIN, 'orgs', ...args);
      expect([args[0], code, err]).toEqual([args[0], 0, expect.any(String)]);
    }
    const owners = await service.sql.unsafe<{ owner: string }[]>(
      "select distinct tableowner as owner from pg_tables where schemaname like 'org!_%' escape '!'",
    );
    expect(owners.map(({ owner: role }) => role)).toEqual([SERVICE]);
  });

  it('doctor tells the roles apart', async () => {
    const lines = async (env: Record<string, string> = {}) =>
      (await admin(t.databaseUrl, ['doctor'], { env })).out;
    expect(await lines()).toMatch(
      /ok +the role reads and writes the tables of shared, and cannot change them/,
    );
    await owner.sql.unsafe(`grant truncate on shared.users to ${SERVICE}`);
    expect(await lines()).toMatch(/WARNING .*does not need: truncate on users/);
    await owner.sql.unsafe(`revoke insert on shared.users from ${SERVICE}`);
    expect(await lines()).toMatch(/FAILED .*lacks rights on tables of shared: insert on users/);
    expect((await run(MAIN, 'migrate')).code).toBe(0);
    expect(await lines()).toMatch(/ok +the role reads and writes/);
    await makeDatabase(EMPTY, SERVICE);
    await admin(urlOf(SERVICE, EMPTY), ['migrate']);
    const alone = async (env = {}) => (await admin(urlOf(SERVICE, EMPTY), ['doctor'], { env })).out;
    expect(await alone()).toMatch(/skipped +the role owns the schema shared/);
    expect(await alone({ SVC_STRICT: 'on' })).toMatch(/WARNING +the role owns the schema shared/);
    await superuser.sql.unsafe(`drop database ${EMPTY} with (force)`);
  });
});

describe('an upgrade', () => {
  const step = (name: string, ...statements: string[]): Migration => ({ name, hash: name, statements });
  const tracks = {
    shared: [
      ...sharedMigrations,
      step(
        '9000_notes',
        'create table shared.notes (id uuid primary key, org_id uuid references shared.orgs (id))',
      ),
    ],
    org: [...orgMigrations, step('9000_x', 'alter table "org_template"."projects" add column "x" integer')],
  };

  it('gives the service its rights on new tables, and organizations stay its own', async () => {
    const options = { tracks, env: { DATABASE_MIGRATION_URL: urlOf(OWNER, MAIN) } };
    const migrated = await admin(t.databaseUrl, ['migrate'], options);
    expect([migrated.code, migrated.out]).toEqual([0, expect.stringContaining('9000_notes')]);
    const { sql } = service;
    await sql.unsafe('insert into shared.notes values (gen_random_uuid(), $1::uuid)', [org.id]);
    await sql.unsafe(`update ${orgSchemaName(org.id)}.projects set x = 1`);
    await expect(sql.unsafe('drop table shared.notes')).rejects.toThrow(/must be owner/);
    // An older server beside it.
    const later = await createOrg(t.api);
    await push(t.api, later, await createScan(t.api, later));
    await push(t.api, org, await createScan(t.api, org));
  });

  it('runs no code of the service as the owner', async () => {
    // Better than what PostgreSQL has for this type, in the schema that the search path of a role starts with.
    await service.sql.unsafe(`create schema ${OWNER}`);
    await service.sql.unsafe(`create function ${OWNER}.length(uuid) returns int language sql return 1`);
    await service.sql.unsafe(`grant usage on schema ${OWNER} to public`);
    const attacked = {
      ...tracks,
      shared: [
        ...tracks.shared,
        step('9001_more', 'create table shared.more (id uuid primary key)'),
        step('9002_x', 'select length(gen_random_uuid())'),
      ],
    };
    const migrated = await admin(t.databaseUrl, ['migrate'], {
      tracks: attacked,
      env: { DATABASE_MIGRATION_URL: urlOf(OWNER, MAIN) },
    });
    expect(migrated.out).toMatch(/function length\(uuid\) does not exist/);
    // Each step grants the rights on its tables.
    expect(await service.sql.unsafe('select from shared.more')).toHaveLength(0);
  });

  it('is refused as the role of the service, which says what to do', async () => {
    const last = sharedMigrations.at(-1) as Migration;
    const [row] = await owner.sql.unsafe('delete from shared.migrations where name = $1 returning *', [
      last.name,
    ]);
    const started = prepareDatabase(t.databaseUrl, silentLog);
    await expect(started).rejects.toThrow(ConfigError);
    await expect(started).rejects.toThrow(
      /role of DATABASE_URL may not migrate .*svc-findings-admin migrate/,
    );
    await owner.sql.unsafe('insert into shared.migrations values ($1, $2, now())', [row?.name, row?.hash]);
    await prepareDatabase(t.databaseUrl, silentLog);
  });
});

it('an empty database is set up by the first server that has both addresses', async () => {
  await makeDatabase(EMPTY, OWNER);
  await separateRoles(EMPTY);
  await prepareDatabase(urlOf(SERVICE, EMPTY), silentLog, urlOf(OWNER, EMPTY));
  const app = await startApp({ databaseUrl: urlOf(SERVICE, EMPTY) });
  const first = await createOrg(app.api);
  await push(app.api, first, await createScan(app.api, first));
  expect((await admin(app.databaseUrl, ['doctor'])).out).toMatch(/ok +the role reads and writes/);
  await expect(app.services.database.sql.unsafe('truncate shared.users cascade')).rejects.toThrow(
    /permission denied/,
  );
});

it('a migration of another database is refused', async () => {
  const env = { DATABASE_MIGRATION_URL: urlOf(OWNER, EMPTY) };
  const { code, out } = await admin(t.databaseUrl, ['migrate'], { env });
  expect([code, out]).toEqual([1, expect.stringContaining('different databases')]);
});

it('the service can get everything back', async () => {
  const manager = openDatabase({ url: urlOf(ADMIN, MAIN), max: 1 });
  await manager.sql.unsafe(`reassign owned by ${OWNER} to ${SERVICE}`);
  await manager.close();
  expect((await admin(t.databaseUrl, ['flags', 'set', 'public_api', 'off'])).code).toBe(0);
  expect((await admin(t.databaseUrl, ['doctor'])).out).toMatch(/the role owns the schema shared/);
  await push(t.api, org, await createScan(t.api, org));
  await service.sql.unsafe('alter table shared.users add column x integer');
});

it('the script refuses a service that could become the owner', async () => {
  await superuser.sql.unsafe(`grant ${OWNER} to ${SERVICE}`);
  await expect(separateRoles(MAIN)).rejects.toThrow(/may become/);
  await superuser.sql.unsafe(`revoke ${OWNER} from ${SERVICE}`);
});
