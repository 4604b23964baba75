import { randomUUID } from 'node:crypto';
import { type Migration, orgSchemaStatements } from '../../../db/migrations/migrate.ts';
import { trigramSchema } from '../../../db/migrations/search-index.ts';
import type { Sql } from '../../../db/pool/query.ts';
import { orgSchemaName, TEMPLATE_SCHEMA } from '../../../db/schema/org-schema.ts';
import { orgMigrations } from '../../../drizzle/migrations.ts';

/** How many organizations a suite can make before a schema takes its usual time. Most suites make fewer than 10, some 60. */
const PREPARED = 20;

/**
 * Prepares schemas of organizations in the template database, and a function that gives the next of them to a new organization.
 * A schema takes PostgreSQL 30 ms of CPU time to make, and 2 ms to copy and drop with the database. When all are used, the
 * function makes one by the same statements.
 */
export async function prepareOrgs(sql: Sql): Promise<void> {
  const trigrams = await trigramSchema(sql);
  const id = randomUUID();
  const statements = orgSchemaStatements(id, orgMigrations, trigrams);
  const made = orgSchemaName(id);
  const names = Array.from({ length: PREPARED }, (_, index) => `prepared_${index}`);
  for (const name of names) {
    await sql.unsafe(`${statements.join('\n')} alter schema ${made} rename to ${name}`);
  }
  await sql.unsafe(`
    create schema prepared;
    create table prepared.orgs (name text primary key);
    insert into prepared.orgs values ${names.map((name) => `('${name}')`).join(', ')};
    create function prepared.make_org(name text) returns void language plpgsql as $body$
    declare
      taken text;
    begin
      delete from prepared.orgs where orgs.name = (select orgs.name from prepared.orgs limit 1 for update skip locked)
      returning orgs.name into taken;
      if taken is not null then
        execute format('alter schema %I rename to %I', taken, name);
      else
        execute replace($statements$${statements.join('\n')}$statements$, '${made}', name);
      end if;
    end $body$`);
}

/** The migrations of organizations, with a last step that takes a prepared schema for a new one. */
export const preparedOrgMigrations: readonly Migration[] = orgMigrations.map((migration, index) =>
  index < orgMigrations.length - 1
    ? migration
    : { ...migration, fromScratch: [`select prepared.make_org(trim('"${TEMPLATE_SCHEMA}"', '"'))`] },
);
