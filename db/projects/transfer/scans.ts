import { sql } from 'drizzle-orm';
import { onItsWorker } from '../../citus.ts';
import type { OrgTables } from '../../schema/org.ts';
import { orgStatement, type SqlClient } from '../../statements.ts';
import { insertRows, type Route, type RowText, scanIdInTarget, toJson } from './rows.ts';

const SCANS = 100;
const SIGHTINGS = 5_000;

type OfProject = { projectId: string };

/** Pushes lock their scan, so those in progress end first, and later ones find no scan. */
const lockScans = orgStatement<OfProject, object>(
  ({ scans }, $) => sql`
select count(*) from (
  select 1 from ${scans} where project_id = ${$.projectId}::uuid order by created_at, scan_id for update
) locked`,
);

interface ScanRow extends RowText {
  scan_id: string;
  created_at: string;
}

/** A position in the order of `scans_project`. */
type Position = Pick<ScanRow, 'scan_id' | 'created_at'>;

const readScans = orgStatement<OfProject & Position, ScanRow>(
  ({ scans }, $) => sql`
select scan_id, created_at::text as created_at, row_to_json(s)::text as row from ${scans} s
where project_id = ${$.projectId}::uuid and (s.created_at, s.scan_id) > (${$.created_at}::timestamptz, ${$.scan_id})
order by s.created_at, s.scan_id limit ${sql.raw(String(SCANS))}`,
);

const insertScans = orgStatement<OfProject & { rows: string }, object>((tables, $) =>
  insertRows(tables, tables.scans, $.rows, {
    values: { scan_id: scanIdInTarget(tables, $.projectId, sql`r.scan_id`) },
  }),
);

interface SightingPage {
  scan_id: string;
  finding_ids: string[];
}

/** Scan ids as JSON, because an agent may choose any characters. */
const takeSightings = orgStatement<{ scanIds: string; scanId: string; findingId: string }, SightingPage>(
  ({ sightings }, $) => sql`
with page as materialized (
  select scan_id, finding_id from ${sightings}
  where scan_id = any (array(select value from json_array_elements_text(${$.scanIds}::text::json)))
    and (scan_id, finding_id) > (${$.scanId}, ${$.findingId}::uuid)
  order by scan_id, finding_id limit ${sql.raw(String(SIGHTINGS))} for update
), gone as (
  delete from ${sightings} s using page where s.scan_id = page.scan_id and s.finding_id = page.finding_id
)
select scan_id, json_agg(finding_id order by finding_id) as finding_ids from page group by scan_id order by scan_id`,
);

const insertSightings = orgStatement<OfProject & { rows: string }, object>(
  (tables, $) => sql`
with given as materialized (
  select m.scan_id, f.id from json_to_recordset(${$.rows}::text::json) as r(scan_id text, finding_ids uuid[])
  cross join lateral (select ${scanIdInTarget(tables, $.projectId, sql`r.scan_id`)} as scan_id) m
  cross join lateral unnest(r.finding_ids) f(id)
), inserted as (
  insert into ${tables.sightings} (scan_id, finding_id) select scan_id, id from given ${onItsWorker(tables)}
)
select 1`,
);

const removeScans = orgStatement<OfProject, object>(
  ({ scans }, $) => sql`delete from ${scans} where project_id = ${$.projectId}::uuid`,
);

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

const takeSeries = orgStatement<OfProject, RowText>(
  ({ series }, $) => sql`
with gone as (delete from ${series} where project_id = ${$.projectId}::uuid returning *)
select row_to_json(gone)::text as row from gone`,
);

const insertSeries = orgStatement<{ rows: string }, object>((tables, $) =>
  insertRows(tables, tables.series, $.rows),
);

/** Moves the scans of a project, their series and what they saw again. */
export async function moveScans(
  tx: SqlClient,
  { source, target }: Route,
  projectId: string,
  onBatch: () => Promise<void>,
): Promise<void> {
  await lockScans(source).run(tx, { projectId });
  const series = await takeSeries(source).run(tx, { projectId });
  if (series.length > 0) await insertSeries(target).run(tx, { rows: toJson(series) });
  let after: Position = { created_at: '-infinity', scan_id: '' };
  for (;;) {
    const scans: ScanRow[] = await readScans(source).run(tx, { projectId, ...after });
    const last = scans.at(-1);
    if (!last) break;
    await insertScans(target).run(tx, { projectId, rows: toJson(scans) });
    await moveSightings(
      tx,
      { source, target },
      projectId,
      scans.map(({ scan_id }) => scan_id),
      onBatch,
    );
    if (scans.length < SCANS) break;
    after = { created_at: last.created_at, scan_id: last.scan_id };
  }
  await removeScans(source).run(tx, { projectId });
}

async function moveSightings(
  tx: SqlClient,
  { source, target }: Record<keyof Route, OrgTables>,
  projectId: string,
  ids: readonly string[],
  onBatch: () => Promise<void>,
): Promise<void> {
  const scanIds = JSON.stringify(ids);
  let after = { scanId: '', findingId: FIRST_ID };
  for (;;) {
    const page: SightingPage[] = await takeSightings(source).run(tx, { scanIds, ...after });
    if (page.length > 0) await insertSightings(target).run(tx, { projectId, rows: JSON.stringify(page) });
    await onBatch();
    const count = page.reduce((sum, { finding_ids }) => sum + finding_ids.length, 0);
    const last = page.at(-1);
    if (!last || count < SIGHTINGS) return;
    after = { scanId: last.scan_id, findingId: last.finding_ids.at(-1) ?? FIRST_ID };
  }
}
