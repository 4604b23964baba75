import { createHash } from 'node:crypto';
import { getTableName, type SQL, sql } from 'drizzle-orm';
import {
  lockOrgMigrations,
  type Migration,
  orgSchemaStatements,
  orgStepStatements,
} from '../migrations/migrate.ts';
import { trigramSchema } from '../migrations/search-index.ts';
import { removeStrayMarks } from '../projects/transfer/marks.ts';
import { defineOrgTables } from '../schema/org.ts';
import { orgSchemaName } from '../schema/org-schema.ts';
import { orgs, reservedSlugs } from '../schema/orgs.ts';
import { run, type SqlClient, toQuery } from '../statements.ts';
import { type Column, columnsOf } from './columns.ts';
import { SHARED_TABLES, type SharedTable, type SharedTableName } from './sections.ts';

/* The statements of a restore. All of them run in one transaction, so that nobody sees half of an organization. */

/** How long a restore waits for another one of the same organization or slug. */
const LOCK_TIMEOUT = '10s';

/** Keeps other restores of the organization, or to the slug, and migrations away until the transaction ends. */
export async function lockRestore(tx: SqlClient, orgId: string, slug: string): Promise<void> {
  await Promise.all(lockOrgMigrations(tx, orgId, LOCK_TIMEOUT));
  await run(tx, sql`set local idle_in_transaction_session_timeout = 0`);
  await run(tx, sql`select pg_advisory_xact_lock(${slugLock(slug)})`);
  await run(tx, sql`set local lock_timeout = '60s'`);
}

const slugLock = (slug: string): string =>
  createHash('sha256').update(`restore to ${slug}`).digest().readBigInt64BE().toString();

/** Why an organization cannot be restored. */
export type Obstacle = 'organization exists' | 'schema exists' | 'slug taken' | 'slug reserved';

/**
 * @param options.isOriginal the slug was that of the organization, which may have been purged since
 */
export async function findObstacle(
  client: SqlClient,
  { orgId, slug, isOriginal }: { orgId: string; slug: string; isOriginal: boolean },
): Promise<Obstacle | undefined> {
  const [found] = await run<Record<'org' | 'schema' | 'slug' | 'reserved', boolean>>(
    client,
    sql`select exists (select from ${orgs} where id = ${orgId}::uuid) as org,
      exists (select from pg_catalog.pg_namespace where nspname = ${orgSchemaName(orgId)}) as schema,
      exists (select from ${orgs} where slug = ${slug}) as slug,
      exists (select from ${reservedSlugs} where slug = ${slug}
        and (org_id is not null or not ${isOriginal}::boolean)) as reserved`,
  );
  if (found?.org) return 'organization exists';
  if (found?.slug) return 'slug taken';
  if (found?.reserved) return 'slug reserved';
  return found?.schema ? 'schema exists' : undefined;
}

const CREATES_INDEX = /^CREATE (?:UNIQUE )?INDEX "(\w+)"/m;
const ADDS_KEY = /^ALTER TABLE \S+ ADD CONSTRAINT "(\w+)" FOREIGN KEY/m;

/** The statements of a restore in two steps: tables, and objects that are faster to create when the tables have rows. */
export interface SchemaPlan {
  tables: string[];
  afterRows: string[];
}

/** Plans the schema of an organization that has had `applied`. */
export async function planSchema(
  client: SqlClient,
  orgId: string,
  applied: readonly Migration[],
): Promise<SchemaPlan> {
  const statements = orgSchemaStatements(orgId, applied, await trigramSchema(client));
  // Later migrations drop or change what former ones have created: those stay where they are.
  const waits = (text: string, at: number): boolean => {
    const name = (CREATES_INDEX.exec(text) ?? ADDS_KEY.exec(text))?.[1];
    return name !== undefined && !statements.some((other, i) => i > at && other.includes(`"${name}"`));
  };
  return {
    tables: statements.filter((text, i) => !waits(text, i)),
    afterRows: statements.filter(waits),
  };
}

/** The statements of migrations that a backup of an older version has not had. */
export const stepsOf = async (client: SqlClient, orgId: string, pending: readonly Migration[]) =>
  orgStepStatements(orgId, pending, await trigramSchema(client));

/** Runs statements of a schema, one per command. */
export async function runAll(tx: SqlClient, statements: readonly string[]): Promise<void> {
  for (const text of statements) await run(tx, sql.raw(text));
}

/** Removes what migrations have inserted. The audit log takes no deletions. @returns the columns of the tables, by table */
export async function emptyTables(tx: SqlClient, orgId: string): Promise<Map<string, Column[]>> {
  const schema = orgSchemaName(orgId);
  const tables = await columnsOf(tx, schema);
  const log = getTableName(defineOrgTables(schema).auditEntries);
  for (const table of tables.keys())
    if (table !== log) await run(tx, sql`delete from ${nameOf(schema, table)}`);
  return tables;
}

const nameOf = (schema: string, table: string): SQL =>
  sql`${sql.identifier(schema)}.${sql.identifier(table)}`;

/** A table that rows of a backup are inserted into. */
export interface Target {
  schema: string;
  table: string;
  /** In the order of the values of a row. */
  columns: readonly Column[];
  /** Columns with the same value in all rows. */
  set?: Readonly<Record<string, SQL>>;
}

/**
 * Inserts rows.
 * @param rows JSON arrays of texts and nulls
 * @returns how many were inserted
 */
export async function insertRows(tx: SqlClient, target: Target, rows: readonly string[]): Promise<number> {
  const { schema, table, columns, set = {} } = target;
  const names = [...columns.map(({ name }) => name), ...Object.keys(set)].map((name) => sql.identifier(name));
  const values = [
    ...columns.map(({ type }, i) => sql`(e ->> ${sql.raw(String(i))})::${sql.raw(type)}`),
    ...Object.values(set),
  ];
  const { sql: text, params } = toQuery(
    sql`insert into ${nameOf(schema, table)} (${sql.join(names, sql`, `)})
      select ${sql.join(values, sql`, `)} from jsonb_array_elements(${`[${rows.join(',')}]`}::text::jsonb) e`,
  );
  return (await tx.unsafe(text, params as never[])).count;
}

/** Where rows of a table of `shared` go. @param values of columns that every row has */
export async function sharedTarget(
  tx: SqlClient,
  name: SharedTableName,
  orgId: string,
  values: Record<string, SQL> = {},
): Promise<Target> {
  const { key, columns, set = {} }: SharedTable = SHARED_TABLES[name];
  const types = new Map((await columnsOf(tx, 'shared')).get(name)?.map((column) => [column.name, column]));
  return {
    ...{ schema: 'shared', table: name },
    columns: columns.map((column) => types.get(column) as Column),
    set: { [key]: sql`${orgId}::uuid`, ...set, ...values },
  };
}

/** Frees the slug of a purged organization. */
export async function releaseSlug(tx: SqlClient, slug: string): Promise<void> {
  await run(tx, sql`delete from ${reservedSlugs} where slug = ${slug} and org_id is null`);
}

/** Whether a slug is reserved. Call it when the organization has the slug: a change that was committed meanwhile is visible then. */
export async function isReserved(tx: SqlClient, slug: string): Promise<boolean> {
  const found = await run(tx, sql`select 1 from ${reservedSlugs} where slug = ${slug}`);
  return found.length > 0;
}

/**
 * Gives the organization another slug. Until the transaction ends, a request for a slug that the organization has had waits for
 * the unique index, and then sees that it is reserved.
 */
export async function setSlug(tx: SqlClient, orgId: string, slug: string): Promise<void> {
  await run(tx, sql`update ${orgs} set slug = ${slug} where id = ${orgId}::uuid`);
}

/** The former slugs of an organization that no other one has or has had. */
export async function freeSlugs(tx: SqlClient, slugs: readonly string[]): Promise<Set<string>> {
  const rows = await run<{ slug: string }>(
    tx,
    sql`select slug from json_array_elements_text(${JSON.stringify(slugs)}::text::json) as s(slug)
      where not exists (select from ${orgs} o where o.slug = s.slug)
        and not exists (select from ${reservedSlugs} r where r.slug = s.slug and r.org_id is not null)`,
  );
  return new Set(rows.map(({ slug }) => slug));
}

/** The organization that has a custom domain. */
export async function holderOfDomain(tx: SqlClient, domain: string): Promise<string | undefined> {
  const [holder] = await run<{ slug: string }>(
    tx,
    sql`select slug from ${orgs} where custom_domain = ${domain}`,
  );
  return holder?.slug;
}

/**
 * Ends what a deletion of the organization has done to its tokens, or revokes them, and the transfers of projects that were in progress.
 * Raises the version of its policies: a server may know those of the organization that was purged.
 */
export async function resetState(
  tx: SqlClient,
  orgId: string,
  { revoke }: { revoke: boolean },
): Promise<void> {
  const tables = defineOrgTables(orgSchemaName(orgId));
  const { apiTokens, policyVersions } = tables;
  await removeStrayMarks(tx, tables, orgId);
  await run(tx, sql`update ${apiTokens} set suspended = false where suspended`);
  if (revoke) await run(tx, sql`update ${apiTokens} set revoked = true where not revoked`);
  await run(tx, sql`update ${policyVersions} set version = version + 1000`);
}

/** In what a change can be undone to. */
const ASSIGNED = String.raw`"(?:to_)?assignee_id"\s*:\s*"([0-9a-f-]{36})"`;

/**
 * The ids of persons in assignments, also of deleted findings and in changes that can be undone, private views, projects and mentions,
 * `limit` at the most.
 */
export async function personsOf(tx: SqlClient, orgId: string, limit: number): Promise<string[]> {
  const { changes, deletedFindings, findings, savedViews, findingEvents, projectMembers, rules } =
    defineOrgTables(orgSchemaName(orgId));
  const rows = await run<{ id: string }>(
    tx,
    sql`select id from (
      select assignee_id as id from ${findings} where assignee_id is not null
      union select (data -> 'finding' ->> 'assignee_id')::uuid from ${deletedFindings}
        where data -> 'finding' ->> 'assignee_id' is not null
      union select owner_id from ${savedViews} where not shared
      union select user_id from ${projectMembers}
      union select (regexp_matches(fields::text, ${ASSIGNED}, 'g'))[1]::uuid from ${changes}
      union select unnest(mentions) from ${findingEvents} where mentions is not null
      union select (actions ->> 'assignee_id')::uuid from ${rules} where actions ->> 'assignee_id' is not null
    ) persons limit ${limit}`,
  );
  return rows.map(({ id }) => id);
}

const MENTIONED = String.raw`\]\(([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\)`;

/** The ids in mentions of all texts, also of deleted findings, `limit` at the most. A comment that is edited when a person has left still has the name. */
export async function mentionedOf(tx: SqlClient, orgId: string, limit: number): Promise<string[]> {
  const { deletedFindings, findingEvents } = defineOrgTables(orgSchemaName(orgId));
  const rows = await run<{ id: string }>(
    tx,
    sql`select id from (
      select (regexp_matches(note, ${MENTIONED}, 'gi'))[1]::uuid as id from ${findingEvents} where strpos(note, '](') > 0
      union select (regexp_matches((data -> 'events')::text, ${MENTIONED}, 'gi'))[1]::uuid from ${deletedFindings}
    ) mentioned limit ${limit}`,
  );
  return rows.map(({ id }) => id);
}
