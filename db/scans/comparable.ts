import { type SQL, sql } from 'drizzle-orm';
import type { OrgTables } from '../schema/org.ts';

/*
 * A scan says which findings are gone only in comparison with a scan that looked for the same problems at the same place:
 *
 * - of the same project, persona and target,
 * - started earlier, and completed without problems,
 * - with findings of the same source (`sharesSource`). Scans of other scanners say nothing about its findings.
 */

/** Limits the work for a project with many scans of other targets. */
const MAX_SCANS = 1_000;
/** The comparable scans that are considered. */
const MAX_COMPARED = 50;

/** Two scans have the same target if this is equal. */
const targetText = (scan: string): SQL => sql`coalesce(${sql.raw(scan)}.target::text, '{}')`;

/**
 * The CTE `candidates`: the scans that `own`, a CTE with one scan, can be compared with whatever their sources are, the newest
 * first, and the scan itself if it is one of them.
 */
export const candidates = ({ scans }: OrgTables): SQL => sql`
candidates as materialized (
  select c.* from own cross join lateral (
    select scan_id, created_at, completed_at, status, error_message, persona, target, sources, closed_after
    from ${scans} c
    where c.project_id = own.project_id and (c.created_at, c.scan_id) <= (own.created_at, own.scan_id)
    order by c.created_at desc, c.scan_id desc limit ${sql.raw(String(MAX_SCANS))}
  ) c
  where c.status = 'completed' and c.error_message is null and c.persona = own.persona
    and ${targetText('c')} = ${targetText('own')}
  order by c.created_at desc, c.scan_id desc limit ${sql.raw(String(MAX_COMPARED))}
)`;

/** Whether a candidate has findings of a source. Scans that completed before sources were recorded may have some of any. */
export const sharesSource = (candidate: string, source: SQL): SQL =>
  sql`(${sql.raw(candidate)}.sources is null or ${source} = any (${sql.raw(candidate)}.sources))`;
