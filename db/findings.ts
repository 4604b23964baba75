import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Db } from './client.ts';
import type { FindingStatus, OrgTables } from './org.ts';
import { findingFields } from './resources.ts';

/** These statuses say that the matter is settled: a regression noted before is settled with it. */
const SETTLED: ReadonlySet<FindingStatus> = new Set(['fixed', 'verified', 'false_positive', 'wontfix']);

/**
 * Sets a finding's status.
 * @param scope a further condition, such as the project of a token
 * @returns the finding after the change, or undefined when no finding meets the conditions
 */
export async function setFindingStatus(
  db: Db,
  tables: OrgTables,
  change: { id: string; status: FindingStatus; now: Date; scope?: SQL | undefined },
) {
  const { findings } = tables;
  const { id, status, now, scope } = change;
  const at = sql`${now.toISOString()}::timestamptz`;
  const [row] = await db
    .update(findings)
    .set({
      status,
      statusChangedAt: sql`case when ${findings.status} = ${status} then ${findings.statusChangedAt} else ${at} end`,
      updatedAt: now,
      ...(SETTLED.has(status) && { regressed: false }),
    })
    .where(and(eq(findings.id, id), scope))
    .returning(findingFields(tables));
  return row;
}
