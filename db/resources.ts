import { type AnyColumn, Column, eq, type GetColumnData, is, type SQL, sql } from 'drizzle-orm';
import {
  alias,
  PgBoolean,
  PgDoublePrecision,
  PgInteger,
  PgJson,
  type PgTable,
  PgTimestamp,
  PgUUID,
} from 'drizzle-orm/pg-core';
import { type ShownKeys, shownFindingFields } from './findings/fields.ts';
import type { OrgTables } from './schema/org.ts';
import { orgs } from './schema/orgs.ts';
import type { TokenScope } from './schema/values.ts';

/*
 * How rows are shown: one table of fields per resource, named as the API names them. `select(fields)` or
 * `returning(fields)` with toResource() gives one resource in JavaScript, jsonText() the same as text made by
 * PostgreSQL, for long lists.
 */

export const orgFields = {
  id: orgs.id,
  name: orgs.name,
  slug: orgs.slug,
  plan: orgs.plan,
  custom_domain: orgs.customDomain,
  schema_version: orgs.schemaVersion,
  created_at: orgs.createdAt,
};

export const projectFields = ({ projects: p }: OrgTables) => ({
  id: p.id,
  name: p.name,
  slug: p.slug,
  created_at: p.createdAt,
  close_after_scans: p.closeAfterScans,
  source_url: p.sourceUrl,
  default_ref: p.defaultRef,
  tracked_refs: p.trackedRefs,
  demo: p.demo,
  transferring: sql<boolean | null>`nullif(${p.transfer} = 'out', false)`.as('transferring'),
});

export const apiTokenFields = ({ apiTokens: t }: OrgTables) => ({
  id: t.id,
  project_id: t.projectId,
  name: t.name,
  prefix: t.prefix,
  scopes: t.scopes,
  created_by: t.createdBy,
  expires_at: t.expiresAt,
  revoked: t.revoked,
  created_at: t.createdAt,
  last_used: t.lastUsed,
});

export const scanFields = (t: OrgTables) => ({
  id: sql<string>`${t.scans.scanId}`.as('id'),
  scan_id: t.scans.scanId,
  project_id: t.scans.projectId,
  persona: t.scans.persona,
  name: t.scans.name,
  target: t.scans.target,
  status: t.scans.status,
  error_message: t.scans.errorMessage,
  finding_count: findingCount(t),
  summary: t.scans.summary,
  created_at: t.scans.createdAt,
  started_at: sql<Date>`${t.scans.createdAt}`.mapWith(t.scans.createdAt).as('started_at'),
  completed_at: t.scans.completedAt,
  commit: t.scans.commit,
  // Drizzle drops backslashes when it reads an array. Without declared sources, those of its findings, once it has ended.
  sources: sql<
    string[] | null
  >`array_to_json(coalesce(${t.scans.declaredSources}, nullif(array_remove(${t.scans.sources}, ''), '{}')))`.as(
    'sources',
  ),
});

/** Counted while the scan runs, from its summary afterwards. */
function findingCount(t: OrgTables): SQL.Aliased<number> {
  const first = sql`(select count(*) from ${t.findings} where ${eq(t.findings.scanId, t.scans.scanId)})`;
  const again = sql`(select count(*) from ${t.sightings} where ${eq(t.sightings.scanId, t.scans.scanId)})`;
  return sql<number>`coalesce((${t.scans.summary} ->> 'total')::int, (${first} + ${again})::int)`.as(
    'finding_count',
  );
}

/** As declared in findings/fields.ts. */
export const findingFields = ({ findings }: OrgTables) =>
  Object.fromEntries(shownFindingFields.map(({ key, name }) => [name, findings[key]])) as {
    [Name in keyof ShownKeys]: OrgTables['findings'][ShownKeys[Name]];
  };

export type ScanRow = RowOf<ReturnType<typeof scanFields>>;
export type FindingRow = RowOf<ReturnType<typeof findingFields>>;

/** The tables for field tables, where one is a CTE with the columns of that table. */
export const withCte = (tables: OrgTables, name: 'exploits' | 'findings' | 'scans', cte: string) =>
  ({ ...tables, [name]: alias(tables[name] as PgTable, cte) }) as OrgTables;

export const exploitFields = ({ exploits: e }: OrgTables) => ({
  id: e.id,
  finding_id: e.findingId,
  filename: e.filename,
  language: e.language,
  code: e.code,
  created_at: e.createdAt,
});

export const savedViewFields = ({ savedViews: v }: OrgTables) => ({
  id: v.id,
  name: v.name,
  query: v.query,
  shared: v.shared,
  owner_id: v.ownerId,
  created_at: v.createdAt,
});

export const ruleFields = ({ rules: r }: OrgTables) => ({
  id: r.id,
  name: r.name,
  enabled: r.enabled,
  conditions: r.conditions,
  actions: r.actions,
  created_at: r.createdAt,
  updated_at: r.updatedAt,
});

/** A row that `select(fields)` returns. */
export type RowOf<F extends Record<string, AnyColumn | SQL.Aliased>> = {
  [K in keyof F]: F[K] extends AnyColumn
    ? GetColumnData<F[K]>
    : F[K] extends SQL.Aliased<infer T>
      ? T
      : never;
};

type Shown<T> = T extends Date ? string : T;

/** A row as the API shows it: times as ISO 8601 text, fields without a value left out. */
export type Resource<Row> = {
  [K in keyof Row as null extends Row[K] ? never : K]: Shown<Row[K]>;
} & {
  [K in keyof Row as null extends Row[K] ? K : never]?: Shown<NonNullable<Row[K]>>;
};

/** Turns a row selected by one of the field tables into its resource. */
export function toResource<Row extends object>(row: Row): Resource<Row> {
  const shown: Record<string, unknown> = {};
  for (const key in row) {
    const value = row[key];
    if (value !== null && value !== undefined)
      shown[key] = value instanceof Date ? value.toISOString() : value;
  }
  return shown as Resource<Row>;
}

/** An API token; its `project_id` is shown also when it has none. */
export function toApiToken<Row extends { project_id: string | null; scopes: string }>(row: Row) {
  return { ...toResource({ ...row, project_id: row.project_id ?? '' }), scopes: parseScopes(row.scopes) };
}

/** Scopes as a column holds them: separated by commas. */
export const parseScopes = (text: string): TokenScope[] => text.split(',') as TokenScope[];

export type Fields = Record<string, AnyColumn | SQL.Aliased>;

/**
 * An SQL expression for the text of the JSON object that {@link toResource} would make of the same fields, the first of
 * which always has a value. Put together as text: json_build_object() and json_strip_nulls() take twice the time.
 */
export function jsonText(fields: Fields): SQL<string> {
  const parts = Object.entries(fields).map(([key, field], i) => {
    const name = sql.raw(`'${i === 0 ? '{' : ','}"${key}":'`);
    const value = sql`${name} || ${jsonValue(key, field)}`;
    const always = is(field, Column) && field.notNull;
    return always ? value : sql`coalesce(${value}, '')`;
  });
  return sql<string>`${sql.join(parts, sql`\n  || `)} || '}'`;
}

/** {@link jsonText} as JSON, to be part of more. */
export const json = (fields: Fields): SQL => sql`(${jsonText(fields)})::json`;

/** A value as JSON. Values that need no escaping are only quoted, or used as they are. */
function jsonValue(key: string, field: AnyColumn | SQL.Aliased): SQL {
  const value = inner(field);
  if (isTime(key, field)) return timeText(value, '"');
  if (is(field, PgUUID)) return sql`'"' || ${value} || '"'`;
  return isBare(field) ? value : sql`to_json(${value})`;
}

export const isTime = (key: string, field: AnyColumn | SQL.Aliased): boolean =>
  is(field, PgTimestamp) || key.endsWith('_at');

/** A time as the API shows it, between quotes if so wished. */
export const timeText = (value: SQL, quote: '' | '"' = ''): SQL =>
  sql`to_char(${value} at time zone 'UTC', ${sql.raw(quote ? QUOTED_TIME : TIME)})`;

const TIME = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`;
const QUOTED_TIME = `'"\\""YYYY-MM-DD"T"HH24:MI:SS.MS"Z\\""'`;

export const isBare = (field: AnyColumn | SQL.Aliased): boolean =>
  is(field, PgInteger) || is(field, PgDoublePrecision) || is(field, PgBoolean) || is(field, PgJson);

/** The SQL expression of a field. */
export const inner = (field: AnyColumn | SQL.Aliased): SQL =>
  'sql' in field ? (field as SQL.Aliased).sql : sql`${field}`;
