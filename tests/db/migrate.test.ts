import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../db/client.ts';
import { type Migration, migrateShared } from '../../db/migrations/migrate.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { orgMigrations, sharedMigrations } from '../../drizzle/migrations.ts';
import type { Logger } from '../../lib/logger.ts';
import { createOrg, must, push, type TestOrg } from '../support/api/api.ts';
import { expectKeptCounts, expectRightCounts } from '../support/database/counts.ts';
import { createDatabase, type TestDatabase } from '../support/database/database.ts';
import { createEmptyOrg } from '../support/database/older-org.ts';
import { afterTest } from '../support/run/suite.ts';
import { startApp, type TestApp } from '../support/server/app.ts';
import { silentLog } from '../support/server/log.ts';

const step = (name: string, ...statements: string[]): Migration => ({
  name,
  hash: `hash of ${name}`,
  statements,
});

describe('the shared track', () => {
  let database: TestDatabase;
  let pools: Database[];

  beforeAll(async () => {
    database = await createDatabase('empty');
    pools = Array.from({ length: 3 }, () => openDatabase({ url: database.url, max: 2 }));
  });
  afterAll(async () => {
    await Promise.all(pools.map((pool) => pool.close()));
    await database.drop();
  });

  const names = async () => {
    const rows = await pools[0]?.sql.unsafe('select name from shared.migrations order by name');
    return rows?.map(({ name }) => name);
  };

  it('is applied once, however many processes start on an empty database', async () => {
    await Promise.all(
      pools.flatMap(({ sql }) => [
        migrateShared(sql, sharedMigrations),
        migrateShared(sql, sharedMigrations),
      ]),
    );
    expect(await names()).toEqual(sharedMigrations.map(({ name }) => name));
    const flags = await pools[0]?.sql.unsafe('select count(*)::int as n from shared.feature_flags');
    expect(flags?.[0]?.n).toBe(4);
  });

  it('keeps what went well when a later step fails, and goes on from there', async () => {
    const { sql } = pools[0] as Database;
    const good = step('8000_good', 'create table shared.good (id int primary key)');
    const bad = step('8001_bad', 'create table shared.half (id int primary key)', 'select 1 / 0');
    await expect(migrateShared(sql, [...sharedMigrations, good, bad])).rejects.toThrow('division by zero');
    const [found] = await sql.unsafe(
      "select to_regclass('shared.good') as good, to_regclass('shared.half') as half",
    );
    expect(found).toEqual({ good: 'shared.good', half: null });
    await migrateShared(sql, [
      ...sharedMigrations,
      good,
      step('8001_bad', 'create table shared.half (id int primary key)'),
    ]);
    expect(await names()).toContain('8001_bad');
  });

  it('refuses a step that was changed after it was applied', async () => {
    const { sql } = pools[0] as Database;
    const changed = sharedMigrations.map((migration, i) =>
      i === 0 ? { ...migration, hash: 'other' } : migration,
    );
    await expect(migrateShared(sql, changed)).rejects.toThrow(/0000_initial was changed/);
  });

  it('leaves the steps of a newer version alone', async () => {
    await expect(migrateShared((pools[0] as Database).sql, sharedMigrations)).resolves.toBeUndefined();
  });
});

describe('the step that drops the tables of moves between cells', () => {
  const at = sharedMigrations.findIndex(({ name }) => name === '0016_drop-org-moves');

  it('refuses while an organization is on its way, and changes nothing', async () => {
    const made = await createDatabase('empty');
    const { sql, close } = openDatabase({ url: made.url, max: 1 });
    afterTest(async () => {
      await close();
      await made.drop();
    });
    await migrateShared(sql, sharedMigrations.slice(0, at));
    const move = `insert into shared.org_moves (org_id, slug, cell, copy_id, started_at, moved_at, rows)
      values (gen_random_uuid(), $1, 'b', gen_random_uuid(), now(), $2, $3)`;
    await sql.unsafe(move, ['arrived', '2026-01-01', null]);
    await sql.unsafe(move, ['copied', null, null]);
    await sql.unsafe(move, ['left', '2026-01-01', '{}']);
    await sql.unsafe(
      `insert into shared.org_arrivals (org_id, copy_id, slug, accounts) values (gen_random_uuid(), gen_random_uuid(), 'comes', '{}')`,
    );
    await expect(migrateShared(sql, sharedMigrations)).rejects.toThrow(
      /to another cell: comes, copied, left\./,
    );
    await sql.unsafe(`delete from shared.org_arrivals`);
    await sql.unsafe(`delete from shared.org_moves where slug <> 'arrived'`);
    await migrateShared(sql, sharedMigrations);
    const [found] = await sql.unsafe(
      "select to_regclass('shared.org_moves') as moves, to_regclass('shared.org_arrivals') as arrivals",
    );
    expect(found).toEqual({ moves: null, arrivals: null });
  });
});

describe('the step of `orgs.created_by`', () => {
  it('names the user who has owned an organization for longest without an invitation', async () => {
    const database = await createDatabase('empty');
    const pool = openDatabase({ url: database.url, max: 2 });
    const at = sharedMigrations.findIndex(({ name }) => name.startsWith('0005'));
    await migrateShared(pool.sql, sharedMigrations.slice(0, at));
    const user = { ada: '1', bob: '2', eve: '3' };
    const idOf = (n: string) => `00000000-0000-7000-8000-00000000000${n}`;
    for (const [name, n] of Object.entries(user))
      await pool.sql.unsafe('insert into shared.users (id, name, created_at) values ($1, $2, now())', [
        idOf(n),
        name,
      ]);
    const orgs: Record<string, [who: string, role: string, invited: string | null, year: number][]> = {
      a: [
        [user.eve, 'owner', 'eve@example.com', 2024],
        [user.bob, 'owner', null, 2026],
        [user.ada, 'owner', null, 2025],
      ],
      b: [
        [user.ada, 'member', null, 2024],
        [user.bob, 'owner', null, 2025],
      ],
      c: [[user.eve, 'owner', 'eve@example.com', 2024]],
      d: [],
    };
    for (const [slug, members] of Object.entries(orgs)) {
      await pool.sql.unsafe(
        `insert into shared.orgs (id, name, slug, plan, schema_version, created_at)
         values ($1, $2, $2, 'free', 0, now())`,
        [idOf(slug), slug],
      );
      for (const [who, role, invited, year] of members)
        await pool.sql.unsafe(
          `insert into shared.memberships (org_id, user_id, role, invited_email, created_at)
           values ($1, $2, $3, $4, $5)`,
          [idOf(slug), idOf(who), role, invited, `${year}-01-01`],
        );
    }
    await migrateShared(pool.sql, sharedMigrations);
    const rows = await pool.sql.unsafe(
      'select u.name from shared.orgs o left join shared.users u on u.id = o.created_by order by o.slug',
    );
    expect(rows.map(({ name }) => name)).toEqual(['ada', 'bob', null, null]);
    await pool.close();
    await database.drop();
  });
});

describe('the org track', () => {
  const added = step(
    '8000_notes',
    'create table "org_template"."notes" (id int primary key)',
    'insert into "org_template"."notes" values (1)',
  );
  let t: TestApp;
  let orgs: TestOrg[];

  beforeAll(async () => {
    t = await startApp();
    orgs = await Promise.all(Array.from({ length: 4 }, () => createOrg(t.api)));
  });

  const versions = () =>
    t.services.database.sql
      .unsafe('select distinct schema_version as v from shared.orgs where schema_version > 0 order by 1')
      .then((rows) => rows.map(({ v }) => v));

  it('brings every org forward, once, with two processes at it', async () => {
    const newer = await Promise.all(
      [1, 2].map(() => startApp({ databaseUrl: t.databaseUrl, orgMigrations: [...orgMigrations, added] })),
    );
    await Promise.all(newer.map(({ services }) => services.orgs.migrateAll()));
    expect(await versions()).toEqual([orgMigrations.length + 1]);
    for (const { id } of orgs) {
      const rows = await t.services.database.sql.unsafe(
        `select id from "org_${id.replaceAll('-', '')}".notes`,
      );
      expect(rows).toHaveLength(1);
    }
  });

  it('is what a new org begins with, without going through its steps', async () => {
    const byStep = orgMigrations.map(({ fromScratch: _, ...migration }) => migration);
    const old = await createOrg((await startApp({ databaseUrl: t.databaseUrl, orgMigrations: byStep })).api);
    const made = await createOrg((await startApp({ databaseUrl: t.databaseUrl })).api);
    const [oldSchema, newSchema] = [await describeSchema(old), await describeSchema(made)];
    expect(oldSchema.length).toBeGreaterThan(100);
    expect(newSchema).toEqual(oldSchema);
    expect(newSchema.filter((line) => line.includes(' settings '))).toHaveLength(2);
    // Some 12 KB each: tables whose rows are always short need none.
    expect(newSchema.filter((line) => line.endsWith(' toast true'))).toEqual([
      'audit_entries toast true',
      'changes toast true',
      'deleted_findings toast true',
      'deletions toast true',
      'deliveries toast true',
      'events toast true',
      'exploits toast true',
      'finding_events toast true',
      'findings toast true',
      'issues toast true',
      'projects toast true',
      'rules toast true',
      'saved_views toast true',
      'scans toast true',
      'series toast true',
    ]);
    for (const org of [old, made]) expect(await stepsOf(org)).toEqual(orgMigrations.map(({ name }) => name));
  });

  /** All there is in an org's schema, a line each: columns in their order, constraints, indexes, TOAST tables, settings. */
  async function describeSchema({ id }: TestOrg): Promise<string[]> {
    const rows = await t.services.database.sql.unsafe<{ line: string }[]>(
      `with tables as (
         select oid, relname, reltoastrelid, reloptions from pg_class where relnamespace = $1::regnamespace and relkind = 'r'
       )
       select relname || ' column ' || row_number() over (partition by relname order by attnum) || ' ' || attname || ' ' ||
         format_type(atttypid, atttypmod) || ' ' || attnotnull || ' ' || attstorage::text ||
         coalesce(' ' || pg_get_expr(adbin, adrelid), '') as line
       from tables join pg_attribute on attrelid = tables.oid
       left join pg_attrdef on adrelid = attrelid and adnum = attnum where attnum > 0 and not attisdropped
       union all select relname || ' ' || conname || ' ' || pg_get_constraintdef(pg_constraint.oid)
       from tables join pg_constraint on conrelid = tables.oid
       union all select relname || ' ' || pg_get_indexdef(indexrelid) from tables join pg_index on indrelid = tables.oid
       union all select relname || ' toast ' || (reltoastrelid <> 0) from tables
       union all select relname || ' settings ' || reloptions::text from tables where reloptions is not null
       order by 1`,
      [orgSchemaName(id)],
    );
    return rows.map(({ line }) => line.replaceAll(orgSchemaName(id), 'org'));
  }

  const stepsOf = async ({ id }: TestOrg) => {
    const rows = await t.services.database.sql.unsafe(
      'select name from shared.org_migrations where org_id = $1 order by name',
      [id],
    );
    return rows.map(({ name }) => name);
  };

  it('takes texts that are as long as they may be', async () => {
    const org = await createOrg(t.api);
    const long = (length: number) => '\u{1f40b}'.repeat(length);
    const project = must(await t.api.post('/projects', { ...org.asOwner, body: { name: long(200) } }));
    const body = { name: long(100) };
    const made = must(await t.api.post(`/projects/${project.id}/tokens`, { ...org.asOwner, body }));
    expect([project.name, made.info.name]).toEqual([long(200), long(100)]);
    for (const scan_id of [long(36), `${long(35)}x`]) {
      const scan = { scan_id, project_id: org.projectId, persona: 'senku' };
      must(await t.api.post('/agent/scans', { ...org.asAgent, body: scan }));
      const pushed = await push(t.api, org, scan_id, { fingerprint: long(256) });
      expect(pushed.last_scan_id).toBe(scan_id);
    }
    const again = await t.api.get(`/findings?scan_id=${encodeURIComponent(`${long(35)}x`)}`, org.asOwner);
    expect(must(again)).toHaveLength(1);
  });

  it('lets an older process go on with newer orgs', async () => {
    expect((await t.api.get('/projects', (orgs[0] as TestOrg).asOwner)).status).toBe(200);
  });

  it('counts what an org has when its counts come', async () => {
    const before = await startApp({
      orgMigrations: orgMigrations.filter(({ name }) => name < '0002_counts'),
    });
    const { database } = before.services;
    const [first, second] = [await createEmptyOrg(before), await createEmptyOrg(before)];
    const org = first;
    const schema = orgSchemaName(org.id);
    await database.sql.unsafe(
      `insert into ${schema}.scans (scan_id, project_id, persona, name, status, created_at)
       select 'scan-' || i, $1::uuid, 'senku', 'x', (array['running', 'completed', 'failed'])[1 + i % 3], now()
       from generate_series(0, 9) i`,
      [org.projectId],
    );
    await database.sql.unsafe(
      `insert into ${schema}.findings (id, project_id, fingerprint, scan_id, last_scan_id, title, severity, description,
         status, status_changed_at, seen_count, last_seen_at, created_at, updated_at, regressed)
       select gen_random_uuid(), $1::uuid, 'print-' || i, 'scan-0', 'scan-0', 'x',
         (array['critical', 'high', 'low', 'info'])[1 + i % 4], 'x', (array['open', 'fixed', 'verified'])[1 + i % 3],
         now(), 1, now(), now(), now(), i % 5 = 0
       from generate_series(0, 99) i`,
      [org.projectId],
    );
    const after = await startApp({ databaseUrl: before.databaseUrl });
    await after.services.orgs.migrateAll();
    const path = `/projects/${org.projectId}/tokens`;
    const { token } = must(await after.api.post(path, { ...org.asOwner, body: { name: 'ci' } }));
    const { findings, regressed, scans } = await expectKeptCounts(database, org);
    expect([findings.length, scans.length]).toEqual([12, 3]);
    expect(regressed.reduce((sum, { n }) => sum + n, 0)).toBe(20);
    for (const each of [first, second]) await expectRightCounts(database, after.api, each);
    await push(after.api, { ...org, asAgent: { token, org: org.slug } }, 'scan-0', {
      fingerprint: 'print-0',
      severity: 'medium',
    });
    await expectRightCounts(database, after.api, org);
  });

  it('serves the other orgs when one cannot be migrated', async () => {
    const [broken, ...fine] = orgs as [TestOrg, ...TestOrg[]];
    await t.services.database.sql.unsafe(
      `create view "org_${broken.id.replaceAll('-', '')}".extra as select 1 as one`,
    );
    const errors: string[] = [];
    const log: Logger = {
      ...silentLog,
      error: (message, fields) => errors.push(`${message} ${fields?.org}`),
    };
    const steps = [
      ...orgMigrations,
      added,
      step('8001_extra', 'create table "org_template"."extra" (id int primary key)'),
    ];
    const newer = await startApp({ databaseUrl: t.databaseUrl, orgMigrations: steps, log });
    await newer.services.orgs.migrateAll();
    expect(errors).toEqual([`organization cannot be migrated ${broken.id}`]);
    for (const org of fine) must(await newer.api.get('/projects', org.asOwner));
    const answer = await newer.api.get('/projects', broken.asOwner);
    expect([answer.status, answer.error]).toEqual([500, 'server_error/unavailable']);
    // However often it is asked for, it is tried, and logged, once a second.
    const ask = async () => (await newer.api.get('/projects', broken.asOwner)).status;
    expect(await Promise.all(Array.from({ length: 20 }, ask))).toEqual(Array(20).fill(500));
    expect(errors.length).toBeLessThan(4);
    // Mended, it is migrated by a request that names it.
    await t.services.database.sql.unsafe(`drop view "org_${broken.id.replaceAll('-', '')}".extra`);
    await expect.poll(ask, { timeout: 10_000 }).toBe(200);
    expect(await versions()).toContain(orgMigrations.length + 2);
  });

  it('gives up soon where somebody reads for long, so that others do not wait behind it', async () => {
    const org = await createOrg(t.api);
    const longer = step('8002_longer', 'alter table "org_template"."findings" add column "longer" text');
    const newer = await startApp({ databaseUrl: t.databaseUrl, orgMigrations: [...orgMigrations, longer] });
    const { sql } = t.services.database;
    await sql.begin(async (tx) => {
      await tx.unsafe(`select from "org_${org.id.replaceAll('-', '')}".findings`);
      const migrated = newer.api.get('/projects', org.asOwner);
      expect((await migrated).error).toBe('server_error/unavailable');
      expect((await t.api.get('/findings', org.asOwner)).status).toBe(200);
    });
    const ask = async () => (await newer.api.get('/projects', org.asOwner)).status;
    await expect.poll(ask, { timeout: 10_000 }).toBe(200);
  });
});
