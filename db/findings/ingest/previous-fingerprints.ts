import { sql } from 'drizzle-orm';
import { isUniqueViolation } from '../../errors.ts';
import type { OrgTables } from '../../schema/org.ts';
import { orgStatement, type SqlClient } from '../../statements.ts';
import type { Push } from './push.ts';

/** How many findings have a previous fingerprint, and how many of them took the new one. */
interface Renamed {
  found: number;
  renamed: number;
}

/**
 * Gives each finding that has a previous fingerprint of a push the push's fingerprint, unless a finding has that already.
 * tests/findings/snapshots/rename.sql shows its text.
 *
 * - `unknown` and `found` read the first row at or after a key, in the order of the key. A plan for an empty table, which
 *   stays in use while the table grows, then uses the unique index, too. For `=` it can use another index of `project_id`.
 * - Findings are locked in the order in which pushes write them. After a wait, `locked` has only those that still have the
 *   fingerprint that was found.
 * - The lock is the one that an update of a unique key takes, so that it is not taken in two steps.
 */
export const renameStatement = orgStatement<{ pushes: string }, Renamed>(
  ({ findings, scans }, $) => sql`
with input as materialized (
  select * from json_to_recordset(${$.pushes}::text::json) as r(
    scan_id text,
    project_id uuid,
    fingerprint text,
    previous_fingerprints text[])
), scan as materialized (
  select scan_id, project_id from ${scans}
  where scan_id = any (array(select scan_id from input))
), unknown as materialized (
  select i.* from input i join scan s on s.scan_id = i.scan_id and s.project_id = i.project_id
  where (
    select f.project_id = i.project_id and f.fingerprint = i.fingerprint from ${findings} f
    where (f.project_id, f.fingerprint) >= (i.project_id, i.fingerprint)
    order by f.project_id, f.fingerprint limit 1
  ) is not true
), found as materialized (
  select first.id, first.fingerprint, u.fingerprint as new_fingerprint
  from unknown u cross join lateral (
    select next.id, p.fingerprint
    from unnest(u.previous_fingerprints) with ordinality as p(fingerprint, position)
    cross join lateral (
      select f.id, f.project_id, f.fingerprint from ${findings} f
      where (f.project_id, f.fingerprint) >= (u.project_id, p.fingerprint)
      order by f.project_id, f.fingerprint limit 1
    ) next
    where next.project_id = u.project_id and next.fingerprint = p.fingerprint
    order by p.position limit 1
  ) first
), locked as materialized (
  select f.id, found.new_fingerprint from found
  join ${findings} f on f.id = found.id and f.fingerprint = found.fingerprint
  order by f.project_id, f.fingerprint for update
), renamed as (
  update ${findings} f set fingerprint = locked.new_fingerprint
  from locked where f.id = locked.id
  returning f.id
)
select (select count(*) from found)::int as found, (select count(*) from renamed)::int as renamed`,
);

/** A push loses each of its 5 previous fingerprints to another push at most once, and its own fingerprint once. */
const MAX_TRIES = 7;

/**
 * Lets findings that are known by a previous fingerprint of these pushes take the new one. Pushes for a scan that would
 * refuse them change nothing. Runs before the statement that writes the pushes, which finds a row that an earlier part of
 * the same statement renamed under its old fingerprint only. When the process ends in between, the next push finds the
 * finding by its new fingerprint.
 * @param pushes no fingerprint, new or previous, is in two of them
 */
export async function renameFindings(
  client: SqlClient,
  tables: OrgTables,
  pushes: readonly Push[],
): Promise<void> {
  const parameters = {
    pushes: JSON.stringify(
      pushes.map(({ scan_id, project_id, fingerprint, previous_fingerprints }) => ({
        ...{ scan_id, project_id, fingerprint, previous_fingerprints },
      })),
    ),
  };
  for (let tries = 1; ; tries++) {
    let lost: unknown = new Error('other pushes rename the same findings');
    try {
      const [result] = await renameStatement(tables).run(client, parameters);
      if (result?.found === result?.renamed) return;
    } catch (error) {
      // Another push stored the new fingerprint after this statement had looked for it.
      if (!isUniqueViolation(error)) throw error;
      lost = error;
    }
    if (tries === MAX_TRIES) throw lost;
  }
}
