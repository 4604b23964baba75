import { orgSchemaStatements } from '../../db/migrations/migrate.ts';
import { trigramSchema } from '../../db/migrations/search-index.ts';
import type { Sql } from '../../db/pool/query.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { orgMigrations } from '../../drizzle/migrations.ts';
import type { TestOrg } from '../../tests/support/api/client.ts';

/** The names of migrations up to the one that begins with `last`. */
const namesUpTo = (last: string): string[] =>
  orgMigrations.map(({ name }) => name).filter((name) => name.slice(0, last.length) <= last);

/**
 * Replaces the schema of an organization by one that only the migrations up to `last` made, with the rows of the columns that
 * both have.
 */
export async function useOlderSchema(sql: Sql, { id }: Pick<TestOrg, 'id'>, last: string): Promise<void> {
  const names = namesUpTo(last);
  const older = orgMigrations
    .filter(({ name }) => names.includes(name))
    .map(({ fromScratch: _, ...migration }) => migration);
  const schema = orgSchemaName(id);
  const newer = `${schema}_newer`;
  const trigrams = await trigramSchema(sql);
  await sql.begin(async (tx) => {
    await tx.unsafe(`alter schema ${schema} rename to ${newer}`);
    for (const statement of orgSchemaStatements(id, older, trigrams)) await tx.unsafe(statement);
    const tables = await tx.unsafe<{ name: string; columns: string }[]>(
      `select c.relname as name, string_agg(quote_ident(a.attname), ', ') as columns
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
       where c.relkind = 'r' and c.relnamespace = '${schema}'::regnamespace
         and c.relname in ('projects', 'api_tokens', 'scans') group by c.oid, c.relname
       order by c.relname = 'projects' desc`,
    );
    for (const { name, columns } of tables)
      await tx.unsafe(`insert into ${schema}.${name} (${columns}) select ${columns} from ${newer}.${name}`);
    await tx.unsafe(`drop schema ${newer} cascade`);
    await tx.unsafe(`update shared.orgs set schema_version = ${names.length} where id = '${id}'`);
    await tx.unsafe(
      `delete from shared.org_migrations where org_id = '${id}' and name not in ('${names.join("','")}')`,
    );
  });
}
