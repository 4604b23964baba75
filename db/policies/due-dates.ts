import { sql } from 'drizzle-orm';
import { onItsWorker } from '../citus.ts';
import { retried } from '../errors.ts';
import type { OrgTables } from '../schema/org.ts';
import { SEVERITIES, type Severity } from '../schema/values.ts';
import { orgStatement, run, type SqlClient } from '../statements.ts';
import { increaseVersion } from './version.ts';

/** Days after which findings of each severity are due; null: see {@link DueDays} of an organization and of a project. */
export type DueDays = Record<Severity, number | null>;

/** In a project: findings of this severity are never due. */
export const NEVER = 0;
/** The row of the organization. */
export const OF_ORG = '00000000-0000-0000-0000-000000000000';

export const NO_DUE_DAYS: DueDays = { critical: null, high: null, medium: null, low: null, info: null };

const DAY_MS = 24 * 60 * 60 * 1_000;

/** The days of a project: its own, or the organization's where its own are null. Null: no due date. */
export function daysOfProject(org: DueDays | undefined, project: DueDays | undefined): DueDays | undefined {
  if (!org && !project) return undefined;
  const days = SEVERITIES.map((severity) => [
    severity,
    (project?.[severity] ?? org?.[severity] ?? NEVER) || null,
  ]);
  return Object.fromEntries(days) as DueDays;
}

/** When a finding of `at` is due, for each severity in the order of SEVERITIES. */
export const dueDatesOf = (days: DueDays, at: Date): (string | null)[] =>
  SEVERITIES.map((severity) => (days[severity] ? daysAfter(at, days[severity]) : null));

/** The time `days` days after `at`. */
export const daysAfter = (at: Date, days: number): string =>
  new Date(at.getTime() + days * DAY_MS).toISOString();

/** Reads the days of the organization or of a project. @returns undefined if the project does not exist */
export async function readDueDays(
  client: SqlClient,
  { dueDates: d, projects: p }: OrgTables,
  projectId?: string,
): Promise<DueDays | undefined> {
  if (projectId === OF_ORG) return undefined;
  const [row] = await run<DueDays>(
    client,
    sql`select ${sql.raw(SEVERITIES.map((severity) => `d.${severity}`).join(', '))}
      from (select ${projectId ?? OF_ORG}::uuid as id) k left join ${d} d on d.project_id = k.id
      where k.id = ${OF_ORG}::uuid or exists (select from ${p} where id = k.id and deleted_at is null and transfer is distinct from 'in')`,
  );
  return row;
}

interface NewDueDays extends DueDays {
  projectId: string;
}

const writeStatement = orgStatement<NewDueDays, object>(
  (tables, $) => sql`
with target as materialized (
  select ${$.projectId}::uuid as id where ${$.projectId}::uuid = ${sql.raw(`'${OF_ORG}'::uuid`)}
  union all
  select id from ${tables.projects} where id = ${$.projectId}::uuid and deleted_at is null and transfer is null
), increased as (
  ${increaseVersion(tables, sql`target`)}
), written as (
  insert into ${tables.dueDates} (project_id, critical, high, medium, low, info)
  select id, ${$.critical}::int, ${$.high}::int, ${$.medium}::int, ${$.low}::int, ${$.info}::int
  from target ${onItsWorker(tables)}
  on conflict (project_id) do update set critical = excluded.critical, high = excluded.high, medium = excluded.medium,
    low = excluded.low, info = excluded.info
  returning 1
)
select 1 from written`,
);

/** Replaces the days of the organization or of a project. @returns false if the project does not exist */
export async function writeDueDays(
  client: SqlClient,
  tables: OrgTables,
  days: DueDays,
  projectId?: string,
): Promise<boolean> {
  if (projectId === OF_ORG) return false;
  const params = { ...days, projectId: projectId ?? OF_ORG };
  return (await retried(() => writeStatement(tables).run(client, params))).length > 0;
}
