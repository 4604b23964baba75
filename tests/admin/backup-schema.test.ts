import { is } from 'drizzle-orm';
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { NOT_IN_BACKUPS, orgTableNames, SHARED_TABLES, type SharedTable } from '../../db/backup/sections.ts';
import { defineOrgTables } from '../../db/schema/org.ts';
import { TEMPLATE_SCHEMA } from '../../db/schema/org-schema.ts';
import { orgMigrations } from '../../drizzle/migrations.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/* Backups of organizations have every table and column that organizations have. */

let t: TestApp;

beforeAll(async () => {
  t = await startApp();
});

describe('of the schema `shared`', () => {
  it('every table is in backups, or is left out for a reason', async () => {
    const rows = await t.services.database.sql.unsafe<{ name: string }[]>(
      `select table_name as name from information_schema.tables where table_schema = 'shared' order by 1`,
    );
    const known = [...Object.keys(SHARED_TABLES), ...Object.keys(NOT_IN_BACKUPS)];
    expect(rows.map(({ name }) => name)).toEqual(known.toSorted());
  });

  it.each(Object.entries<SharedTable>(SHARED_TABLES))(
    'every column of %s is in backups, or set by a restore',
    async (table, of) => {
      const rows = await t.services.database.sql.unsafe<{ name: string }[]>(
        `select column_name as name from information_schema.columns where table_schema = 'shared' and table_name = $1`,
        [table],
      );
      const known = [of.key, ...of.columns, ...Object.keys(of.set ?? {})];
      expect(rows.map(({ name }) => name).toSorted()).toEqual(known.toSorted());
    },
  );

  it('every table that references organizations is in backups', async () => {
    const rows = await t.services.database.sql.unsafe<{ name: string }[]>(
      `select c.conrelid::regclass::text as name from pg_constraint c where c.contype = 'f' and c.confrelid = 'shared.orgs'::regclass`,
    );
    const leftOut = [
      ...['personal_tokens', 'org_deletions', 'org_undo_links', 'project_transfers'],
      ...['declined_invitations', 'invitation_links', 'org_usage', 'deletion_jobs'],
      ...['sso_connections', 'org_domains', 'identities', 'scim_tokens', 'scim_groups'],
      ...['destinations', 'event_positions'],
    ];
    const names = rows
      .map(({ name }) => name.replace('shared.', ''))
      .filter((name) => !leftOut.includes(name));
    expect([...Object.keys(SHARED_TABLES)]).toEqual(expect.arrayContaining(names));
    expect(names.length).toBeGreaterThan(5);
  });
});

it('every table of an organization is in backups', () => {
  const tables = Object.values(defineOrgTables(TEMPLATE_SCHEMA)).filter((one) => is(one, PgTable));
  const names = tables.map((table) => getTableConfig(table as PgTable).name);
  expect(orgTableNames(orgMigrations).toSorted()).toEqual(names.toSorted());
});
