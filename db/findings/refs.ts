import { sql } from 'drizzle-orm';
import type { OrgTables } from '../schema/org.ts';
import { orgStatement, type SqlClient } from '../statements.ts';

/** Where a finding is or was present. Times are RFC 3339. */
export interface FindingRef {
  /** Null for scans without a ref, which count as of the default branch. */
  ref: string | null;
  first_seen_at: string;
  last_seen_at: string;
  last_scan_id: string;
  /** Null while it is present. */
  missing_since: string | null;
  /** Whether the state of the finding follows the ref. */
  tracked: boolean;
}

/** One row for each ref: a finding is present there while any target and category of it has the finding. */
const read = orgStatement<{ id: string }, { refs: FindingRef[] | null }>(
  ({ findingRefs, findings, series }, $) => sql`
select (
  select json_agg(json_build_object('ref', nullif(ref, ''), 'first_seen_at', first_seen_at, 'last_seen_at', last_seen_at,
    'last_scan_id', last_scan_id, 'missing_since', missing_since, 'tracked', tracked) order by tracked desc, last_seen_at desc, ref)
  from (
    select e.ref, bool_or(e.tracked) as tracked, min(r.first_seen_at) as first_seen_at, max(r.last_seen_at) as last_seen_at,
      (array_agg(r.last_scan_id order by r.last_seen_at desc))[1] as last_scan_id,
      case when bool_and(r.missing_since is not null) then max(r.missing_since) end as missing_since
    from ${findingRefs} r join ${series} e on e.id = r.series_id where r.finding_id = f.id group by e.ref
  ) by_ref
) as refs
from ${findings} f where f.id = ${$.id}::uuid`,
);

/** The refs of a finding, tracked ones first. @returns undefined when there is no such finding */
export async function readRefs(
  client: SqlClient,
  tables: OrgTables,
  id: string,
): Promise<FindingRef[] | undefined> {
  const [row] = await read(tables).run(client, { id });
  return row && (row.refs ?? []).map((ref) => ({ ...ref, ...utc(ref) }));
}

/** PostgreSQL writes times in JSON with the offset of its time zone. */
const utc = ({ first_seen_at, last_seen_at, missing_since }: FindingRef) => ({
  first_seen_at: new Date(first_seen_at).toISOString(),
  last_seen_at: new Date(last_seen_at).toISOString(),
  missing_since: missing_since && new Date(missing_since).toISOString(),
});
