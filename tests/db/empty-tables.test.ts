import { beforeAll, describe, expect, it } from 'vitest';
import {
  emptySchemaOf,
  NO_ROWS,
  prepareEmptyTables,
  unguardedTables,
} from '../../db/migrations/empty-tables.ts';
import type { Migration } from '../../db/migrations/migrate.ts';
import { orgMigrations } from '../../drizzle/migrations.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

let t: TestApp;

beforeAll(async () => {
  t = await startApp();
});

const client = () => t.services.database.sql;
const sql = (text: string) => client().unsafe(text);

/** The tables of a schema, and the expressions of their constraint. */
const tablesIn = async (schema: string) =>
  Object.fromEntries(
    (
      await sql(`select c.relname as name, pg_get_constraintdef(k.oid) as "check", k.convalidated as valid
        from pg_class c left join pg_constraint k on k.conrelid = c.oid and k.conname = '${NO_ROWS}'
        where c.relkind in ('r', 'p') and c.relnamespace = '"${schema}"'::regnamespace`)
    ).map(({ name, check, valid }) => [name, `${check} ${valid}`]),
  );

const NEXT: Migration = {
  name: '9999_next',
  hash: 'x',
  statements: ['create table "org_template".next (id int)', 'insert into "org_template".next values (7)'],
};

describe('the tables of organizations without tables', () => {
  it.each([
    ['of this version', orgMigrations],
    ['of a version with one more table, into which its migration inserts a row', [...orgMigrations, NEXT]],
    ['of the first version', orgMigrations.slice(0, 1)],
  ])('%s can have no row', async (_, migrations) => {
    await prepareEmptyTables(client(), migrations);
    const tables = await tablesIn(emptySchemaOf(migrations));
    expect(Object.keys(tables).length).toBeGreaterThan(5);
    expect(Object.entries(tables).filter(([, check]) => check !== 'CHECK (false) true')).toEqual([]);
    for (const table of Object.keys(tables)) {
      const counted = await sql(`select count(*)::int as n from "${emptySchemaOf(migrations)}".${table}`);
      expect([table, counted[0]?.n]).toEqual([table, 0]);
    }
    expect('next' in tables).toBe(migrations.includes(NEXT));
  });

  it('refuse a row that is right in all other ways', async () => {
    const schema = emptySchemaOf(orgMigrations);
    await prepareEmptyTables(client(), orgMigrations);
    const insert = (name: string) =>
      sql(`insert into "${name}".projects (id, name, slug, created_at)
        values ('${crypto.randomUUID()}', 'Web shop', 'web-shop', now())`);
    await expect(insert(schema)).rejects.toThrow(NO_ROWS);
    await expect(sql(`insert into "${schema}".policy_versions (id, version) values (1, 1)`)).rejects.toThrow(
      NO_ROWS,
    );
  });

  const PROJECT = `(id, name, slug, created_at) values ('${crypto.randomUUID()}', 'Web shop', 'web-shop', now())`;

  it.each([
    ['without triggers', (name: string) => `insert into ${name} ${PROJECT}`],
    [
      'through a table that inherits',
      (name: string) => `create table child () inherits (${name}); insert into child ${PROJECT}`,
    ],
    [
      'of a table that begins to inherit',
      (name: string) =>
        `create table child (like ${name}); insert into child ${PROJECT}; alter table child inherit ${name}`,
    ],
  ])('refuse a row %s', async (_, statements) => {
    await prepareEmptyTables(client(), orgMigrations);
    const name = `"${emptySchemaOf(orgMigrations)}".projects`;
    // Neither triggers nor foreign keys count in this role, as for a subscriber of a replication.
    const asReplica = `begin; set local session_replication_role = 'replica'; ${statements(name)}; commit`;
    await expect(sql(asReplica)).rejects.toThrow(NO_ROWS);
    await sql('rollback');
  });

  it('are not used once they could have a row', async () => {
    const migrations = [...orgMigrations, { ...NEXT, name: '9999_altered' }];
    await prepareEmptyTables(client(), migrations);
    const schema = emptySchemaOf(migrations);
    const drop = `alter table "${schema}".findings drop constraint ${NO_ROWS}`;
    for (const alter of [
      drop,
      `alter table "${schema}".findings add constraint ${NO_ROWS} check (false) not valid`,
      `${drop}; alter table "${schema}".findings add constraint ${NO_ROWS} check (true)`,
      `alter table "${schema}".findings rename to others; create view "${schema}".findings as select 1 as id`,
    ]) {
      await sql(alter);
      const prepared = prepareEmptyTables(client(), migrations);
      await expect(prepared).rejects.toThrow(`${NO_ROWS}: ${schema}.findings. `);
      expect(await unguardedTables(client())).toEqual([`${schema}.findings`]);
    }
    await sql(`drop schema "${schema}" cascade`);
    await prepareEmptyTables(client(), migrations);
    expect(await unguardedTables(client())).toEqual([]);
  });

  it('are created once by several processes, and not again', async () => {
    const migrations = [...orgMigrations, { ...NEXT, name: '9999_several' }];
    const [first, ...others] = await Promise.all(
      Array.from({ length: 5 }, () => prepareEmptyTables(client(), migrations)),
    );
    expect(others.map(({ schema }) => schema.schemaName)).toEqual(Array(4).fill(first?.schema.schemaName));
    const oid = async () =>
      (await sql(`select '"${emptySchemaOf(migrations)}"'::regnamespace::oid as oid`))[0];
    const before = await oid();
    await prepareEmptyTables(client(), migrations);
    expect(await oid()).toEqual(before);
  });

  it('leave nothing behind when their creation fails', async () => {
    const migrations = [...orgMigrations, { ...NEXT, name: '9999_broken', statements: ['select 1 / 0'] }];
    await expect(prepareEmptyTables(client(), migrations)).rejects.toThrow('division by zero');
    expect([
      ...(await sql(`select 1 from pg_namespace where nspname = '${emptySchemaOf(migrations)}'`)),
    ]).toEqual([]);
  });

  it('have a schema for each definition, so that processes of two versions run side by side', () => {
    const changed = orgMigrations.map((step, i) => (i === 3 ? { ...step, hash: 'other' } : step));
    const names = [orgMigrations, changed, [...orgMigrations, NEXT]].map(emptySchemaOf);
    expect(new Set(names).size).toBe(3);
    for (const name of names) expect(name).toMatch(/^empty_org_\d+_[0-9a-f]{8}$/);
  });
});
