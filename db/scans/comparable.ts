import { type SQL, sql } from 'drizzle-orm';
import type { OrgTables } from '../schema/org.ts';

/*
 * A scan is compared with an earlier scan of its series (`series.ts`) that completed without problems and looked for findings of
 * the same source (`sharesSource`). Scans of other scanners say nothing about its findings.
 */

/** The comparable scans that are considered. */
const MAX_COMPARED = 50;

/**
 * The CTE `candidates`: the scans that `own`, a CTE with one scan, can be compared with whatever their sources are, the newest
 * first, and the scan itself if it is one of them.
 */
export const candidates = ({ scans }: OrgTables): SQL => sql`
candidates as materialized (
  select c.* from own cross join lateral (
    select scan_id, created_at, completed_at, sources from ${scans} c
    where c.series_id = own.series_id and (c.created_at, c.scan_id) <= (own.created_at, own.scan_id)
      and c.status = 'completed' and c.error_message is null
    order by c.created_at desc, c.scan_id desc limit ${sql.raw(String(MAX_COMPARED))}
  ) c
)`;

/** Whether a candidate looked for findings of a source. Scans of earlier versions may have looked for any. */
export const sharesSource = (candidate: string, source: SQL): SQL =>
  sql`(${sql.raw(candidate)}.sources is null or ${source} = any (${sql.raw(candidate)}.sources))`;
