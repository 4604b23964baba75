import { randomUUID } from 'node:crypto';
import { type Migration, orgSchemaStatements } from '../../../db/migrations/migrate.ts';
import { trigramSchema } from '../../../db/migrations/search-index.ts';
import type { Sql } from '../../../db/pool/query.ts';
import { orgSchemaName, TEMPLATE_SCHEMA } from '../../../db/schema/org-schema.ts';
import { orgMigrations } from '../../../drizzle/migrations.ts';

/** How many organizations a suite can make before a schema takes its usual time. */
const PREPARED = 20;

/**
 * Prepares schemas of organizations in the template database, and a function that gives the next of them to a new organization.
 * A schema takes PostgreSQL 30 ms of CPU time to make, and 2 ms to copy with the database. When all are used, the function makes
 * one by the same statements.
 */
export async function prepareOrgs(sql: Sql): Promise<void> {
  const trigrams = await trigramSchema(sql);
  const statements = (id: string) => orgSchemaStatements(id, orgMigrations, trigrams);
  const ids = Array.from({ length: PREPARED }, () => randomUUID());
  for (const id of ids) await sql.unsafe(statements(id).join('\n'));
  const example = randomUUID();
  await sql.unsafe(`
    create schema prepared;
    create table prepared.orgs (name text primary key);
    insert into prepared.orgs values ${ids.map((id) => `('${orgSchemaName(id)}')`).join(', ')};
    create function prepared.make_org(name text) returns void language plpgsql as $body$
    declare
      made text;
    begin
      delete from prepared.orgs where orgs.name = (select orgs.name from prepared.orgs limit 1 for update skip locked)
      returning orgs.name into made;
      if made is not null then
        execute format('alter schema %I rename to %I', made, name);
      else
        execute replace($statements$${statements(example).join('\n')}$statements$, '${orgSchemaName(example)}', name);
      end if;
    end $body$`);
}

/** The migrations of organizations, with a last step that takes a prepared schema for a new one. */
export const preparedOrgMigrations: readonly Migration[] = orgMigrations.map((migration, index) =>
  index < orgMigrations.length - 1
    ? migration
    : { ...migration, fromScratch: [`select prepared.make_org(trim('"${TEMPLATE_SCHEMA}"', '"'))`] },
);
