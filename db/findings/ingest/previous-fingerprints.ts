import { sql } from 'drizzle-orm';
import { onItsWorker } from '../../citus.ts';
import { isUniqueViolation } from '../../errors.ts';
import type { OrgTables } from '../../schema/org.ts';
import { orgStatement, type SqlClient } from '../../statements.ts';
import type { Push } from './push.ts';

/** How many findings should take the fingerprint of a push, and how many did. */
interface Renamed {
  found: number;
  renamed: number;
  kept: Kept[] | null;
}

/** A push for a finding that keeps its fingerprint. `ord` is the position of the push. */
interface Kept {
  ord: number;
  fingerprint: string;
}

/**
 * Gives each finding that has a previous fingerprint of a push the push's fingerprint, unless a finding has that already. The activity
 * of the finding says so: `moved` if the push has another file, otherwise `matched`.
 * tests/findings/snapshots/rename.sql shows its text.
 *
 * - A scan of a ref that the state of findings does not follow renames proposed findings only: scans of the default branch still
 *   report the others under their fingerprint. Its push is for such a finding, unless another push of the scan was.
 * - `unknown` and `found` read the first row at or after a key, in the order of the key. A plan for an empty table, which
 *   stays in use while the table grows, then uses the unique index, too. For `=` it can use another index of `project_id`.
 * - Findings are locked in the order in which pushes write them. After a wait, `renaming` has only those that still have the
 *   fingerprint that was found.
 * - They are locked by a query that computes nothing: otherwise Citus confuses the result with another one.
 * - The lock is the one that an update of a unique key takes, so that it is not taken in two steps.
 */
export const renameStatement = orgStatement<{ pushes: string }, Renamed>(
  ({ findingEvents, findingRefs, findings, policyVersions, scans }, $) => sql`
with input as materialized (
  select * from json_to_recordset(${$.pushes}::text::json) as r(
    ord int,
    id uuid,
    at timestamptz,
    actor_id uuid,
    scan_id text,
    project_id uuid,
    fingerprint text,
    previous_fingerprints text[],
    file text,
    line int)
), scan as materialized (
  select scan_id, project_id, series_id, tracked from ${scans}
  where scan_id = any (array(select scan_id from input))
), unknown as materialized (
  select i.*, s.series_id, s.tracked from input i join scan s on s.scan_id = i.scan_id and s.project_id = i.project_id
  where (
    select f.project_id = i.project_id and f.fingerprint = i.fingerprint from ${findings} f
    where (f.project_id, f.fingerprint) >= (i.project_id, i.fingerprint)
    order by f.project_id, f.fingerprint limit 1
  ) is not true
), found as materialized (
  select first.id, first.fingerprint, u.fingerprint as new_fingerprint, u.id as push_id, u.at, u.actor_id, u.scan_id, u.file, u.line,
    u.ord, not u.tracked and first.proposed is null as is_kept
  from unknown u cross join lateral (
    select next.id, next.proposed, p.fingerprint
    from unnest(u.previous_fingerprints) with ordinality as p(fingerprint, position)
    cross join lateral (
      select f.id, f.project_id, f.fingerprint, f.proposed from ${findings} f
      where (f.project_id, f.fingerprint) >= (u.project_id, p.fingerprint)
      order by f.project_id, f.fingerprint limit 1
    ) next
    where next.project_id = u.project_id and next.fingerprint = p.fingerprint
      and (u.tracked or next.proposed or not exists (
        select from ${findingRefs} r where r.finding_id = next.id and r.series_id = u.series_id and r.last_scan_id = u.scan_id))
    order by p.position limit 1
  ) first
), before as materialized (
  select id, fingerprint, file, line from ${findings} where id = any (array(select id from found where not is_kept))
  order by project_id, fingerprint for update
), renaming as materialized (
  select b.id, b.fingerprint, f.new_fingerprint, f.push_id, f.at, f.actor_id, f.scan_id, b.file, b.line,
    coalesce(f.file, b.file) as new_file, coalesce(f.line, b.line) as new_line, f.file <> b.file as moves
  from before b join found f on f.id = b.id and f.fingerprint = b.fingerprint
), renamed as (
  update ${findings} f set fingerprint = r.new_fingerprint from renaming r where f.id = r.id
), events as materialized (
  select id as finding_id, at, md5(push_id::text || 'renamed')::uuid as id, actor_id, scan_id,
    case when moves then 'moved' else 'matched' end as kind,
    case when moves then concat_ws(':', file, line) else fingerprint end as "from",
    case when moves then concat_ws(':', new_file, new_line) else new_fingerprint end as "to"
  from renaming
), noted as (
  insert into ${findingEvents} (finding_id, at, id, kind, actor_id, scan_id, "from", "to")
  select e.finding_id, e.at, e.id, e.kind, e.actor_id, e.scan_id, e."from", e."to" from events e ${onItsWorker({ policyVersions })}
)
select (select count(*) from found where not is_kept)::int as found, (select count(*) from renaming)::int as renamed,
  (select json_agg(json_build_object('ord', ord, 'fingerprint', fingerprint)) from found where is_kept) as kept`,
);

/** A push loses each of its 5 previous fingerprints to another push at most once, and its own fingerprint once. */
const MAX_TRIES = 7;

/** A push that may rename a finding, and who sends it. */
export interface RenamingPush
  extends Pick<Push, 'scan_id' | 'project_id' | 'fingerprint' | 'previous_fingerprints' | 'file' | 'line'> {
  /** The position in the batch. */
  ord: number;
  id: string;
  at: string;
  actor_id: string;
}

/**
 * Lets findings that are known by a previous fingerprint of these pushes take the new one. Pushes for a scan that would
 * refuse them change nothing. Runs before the statement that writes the pushes, which finds a row that an earlier part of
 * the same statement renamed under its old fingerprint only. When the process ends in between, the next push finds the
 * finding by its new fingerprint.
 * @param pushes no fingerprint, new or previous, is in two of them
 * @returns pushes for findings that keep their fingerprint
 */
export async function renameFindings(
  client: SqlClient,
  tables: OrgTables,
  pushes: readonly RenamingPush[],
): Promise<Kept[]> {
  const parameters = { pushes: JSON.stringify(pushes) };
  for (let tries = 1; ; tries++) {
    let lost: unknown = new Error('other pushes rename the same findings');
    try {
      const [result] = await renameStatement(tables).run(client, parameters);
      if (result?.found === result?.renamed) return result?.kept ?? [];
    } catch (error) {
      // Another push stored the new fingerprint after this statement had looked for it.
      if (!isUniqueViolation(error)) throw error;
      lost = error;
    }
    if (tries === MAX_TRIES) throw lost;
  }
}
