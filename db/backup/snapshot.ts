import { type SQL, sql } from 'drizzle-orm';
import type { Migration } from '../migrations/migrate.ts';
import type { Sql } from '../pool/query.ts';
import { isEmptySchema } from '../schema/org-schema.ts';
import { run, type SqlClient } from '../statements.ts';
import { columnsOf } from './columns.ts';
import { FIRST, LAST, SHARED_TABLES, type SharedTable, type SharedTableName } from './sections.ts';

/** For text that reads back as the same value on every server. */
const TEXT_SETTINGS = [
  `set local timezone = 'UTC'`,
  `set local datestyle = 'ISO'`,
  'set local extra_float_digits = 1',
];

const SETTINGS = [
  'set transaction isolation level repeatable read, read only',
  'set local statement_timeout = 0',
  'set local idle_in_transaction_session_timeout = 0',
  `set local lock_timeout = '10s'`,
  ...TEXT_SETTINGS,
];

/** A table of a backup, and how its rows are read. */
export interface Section {
  name: string;
  columns: string[];
  /** Each row is a JSON array of texts and nulls, without a line break. */
  rows(): AsyncGenerator<Uint8Array[]>;
}

/** The organization of a snapshot. */
interface SnapshotOrg {
  orgId: string;
  schema: string;
  tables: readonly string[];
  migrations: readonly Migration[];
}

/**
 * Calls `use` with the sections of an organization in one snapshot. Servers may write meanwhile. The tables are locked against
 * changes of their definition first, because a snapshot does not cover those.
 * @param org.schema that of the organization, or of organizations without tables, whose backup is as if they had been created
 * @param org.tables of the schema
 * @param check called within the snapshot, before anything is read
 */
export async function readSnapshot(
  client: Sql,
  { orgId, schema, tables, migrations }: SnapshotOrg,
  use: (sections: AsyncIterable<Section>, tx: SqlClient) => Promise<void>,
): Promise<void> {
  await client.begin(async (tx) => {
    for (const setting of SETTINGS) await run(tx, sql.raw(setting));
    for (const table of tables) await run(tx, sql`lock table ${in_(schema, table)} in access share mode`);
    const columns = await columnsOf(tx, schema);
    async function* sections(): AsyncGenerator<Section> {
      for (const name of FIRST)
        yield name === 'org_migrations' && isEmptySchema({ schemaName: schema })
          ? stepsSection(tx, migrations)
          : sharedSection(tx, name, orgId);
      for (const table of tables) {
        const names = (columns.get(table) ?? []).map(({ name }) => name);
        const values = names.map((name) => sql`${sql.identifier(name)}::text`);
        yield section(tx, `org.${table}`, names, sql`select ${line(values)} from ${in_(schema, table)}`);
      }
      yield sharedSection(tx, LAST, orgId);
    }
    await use(sections(), tx);
  });
}

const in_ = (schema: string, table: string): SQL => sql`${sql.identifier(schema)}.${sql.identifier(table)}`;

const line = (values: SQL[]): SQL => sql`array_to_json(array[${sql.join(values, sql`, `)}]::text[])::text`;

/** The rows of a table of `shared`, whose transaction has `TEXT_SETTINGS`. */
function sharedSection(tx: SqlClient, name: SharedTableName, orgId: string): Section {
  const { key, columns, extra = {} }: SharedTable = SHARED_TABLES[name];
  const values = columns.map((column) => sql`t.${sql.identifier(column)}::text`);
  const query = sql`select ${line([...values, ...Object.values(extra)])} from ${in_('shared', name)} t
    where t.${sql.identifier(key)} = ${orgId}::uuid`;
  return section(tx, `shared.${name}`, [...columns, ...Object.keys(extra)], query);
}

/** The steps that the schema of an organization without tables would have had. */
function stepsSection(tx: SqlClient, migrations: readonly Migration[]): Section {
  const { columns } = SHARED_TABLES.org_migrations;
  const steps = JSON.stringify(migrations.map(({ name, hash }) => ({ name, hash })));
  const query = sql`select ${line([sql`e ->> 'name'`, sql`e ->> 'hash'`, sql`now()::text`])}
    from json_array_elements(${steps}::text::json) e`;
  return section(tx, 'shared.org_migrations', [...columns], query);
}

const section = (tx: SqlClient, name: string, columns: string[], query: SQL): Section => ({
  ...{ name, columns },
  rows: () => readRows(tx, query),
});

/** Rows of a fetch; the largest row has about a megabyte. */
const MOST_ROWS = 200;
const TARGET_BYTES = 512 * 1024;

async function* readRows(tx: SqlClient, query: SQL): AsyncGenerator<Uint8Array[]> {
  await run(tx, sql`declare backup no scroll cursor for ${query}`);
  for (let count = MOST_ROWS / 4; ; ) {
    const fetched = await tx.unsafe(`fetch ${count} from backup`).raw();
    const rows = (fetched as unknown as [Uint8Array][]).map(([text]) => text);
    if (rows.length > 0) yield rows;
    if (rows.length < count) break;
    const bytes = rows.reduce((sum, { length }) => sum + length, 0);
    count = Math.max(1, Math.min(MOST_ROWS, 2 * count, Math.floor((TARGET_BYTES * count) / bytes)));
  }
  await run(tx, sql.raw('close backup'));
}
