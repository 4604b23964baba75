import { sql } from 'drizzle-orm';
import { retried } from '../errors.ts';
import { type Changer, changeFindingsIn, type FindingChange } from '../findings/triage/triage.ts';
import type { Sql } from '../pool/query.ts';
import type { OrgTables } from '../schema/org.ts';
import { arrayText, orgStatement } from '../statements.ts';
import { hasUnresolved } from './conditions.ts';

interface Closed {
  id: string;
  at: string;
  status: string;
  /** Why a finding is still open. */
  outcome: string;
  /** The projects of the integration. Null: all. */
  projects: string | null;
}

/** The tracker is not told that the findings are resolved: it caused that. */
const close = orgStatement<Closed, object>(
  (tables, $) => sql`
update ${tables.issues} i set state = 'closed', status = ${$.status}, checked_at = ${$.at}::timestamptz,
  told = case when ${hasUnresolved(tables, $.projects)} then i.told else 'resolved' end,
  outcome = case when ${hasUnresolved(tables, $.projects)} then ${$.outcome}::text end
where i.id = ${$.id}::uuid and i.state = 'open' and i.told = 'open' returning 1`,
);

/** The most findings of one change. */
const AT_ONCE = 500;

/** Thrown to roll back the change of the findings. */
const IS_KNOWN = new Error('the closing is recorded');

/**
 * Changes findings of an issue that somebody has closed at the tracker, and records that it is closed. Both happen, or nothing does: a
 * closing changes findings once, whatever people decide about them afterwards.
 * @param changer makes the author of each change
 * @returns false if another process has recorded the closing
 */
export async function recordClosing(
  client: Sql,
  tables: OrgTables,
  {
    at,
    projectIds,
    ...closed
  }: Omit<Closed, 'at' | 'projects'> & { at: Date; projectIds: readonly string[] | null },
  changes: readonly FindingChange[],
  changer: () => Changer,
): Promise<boolean> {
  const closing = retried(() =>
    client.begin(async (tx) => {
      // Findings are locked before their issue, as where it is linked.
      for (let i = 0; i < changes.length; i += AT_ONCE)
        await changeFindingsIn(tx, tables, changes.slice(i, i + AT_ONCE), changer());
      const recorded = await close(tables).run(tx, {
        ...{ ...closed, at: at.toISOString() },
        projects: projectIds && arrayText(projectIds),
      });
      if (recorded.length === 0) throw IS_KNOWN;
      return true;
    }),
  );
  return await closing.catch((error) => {
    if (error !== IS_KNOWN) throw error;
    return false;
  });
}
