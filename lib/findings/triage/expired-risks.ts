import type { Database } from '../../../db/client.ts';
import {
  type DueRisks,
  findDueRisks,
  postponeRisks,
  settleRisks,
} from '../../../db/findings/triage/accepted-risks.ts';
import { changeFindings } from '../../../db/findings/triage/triage.ts';
import type { NewId } from '../../../db/ids.ts';
import type { Logger } from '../../logger.ts';
import type { KnownOrgs } from '../../orgs/directory.ts';

const BATCH = 500;
const RETRY_MS = 5 * 60_000;

/** Opens findings whose risk was accepted until now. */
export async function openExpiredRisks({
  database,
  knownOrgs,
  clock,
  log,
  nextId,
}: {
  database: Database;
  knownOrgs: KnownOrgs;
  clock: () => Date;
  log: Logger;
  nextId: () => NewId;
}): Promise<void> {
  const { sql } = database;
  const now = clock();
  for (;;) {
    const due = await findDueRisks(sql, now, BATCH);
    let isStuck = false;
    for (const risks of due) if (!(await openOf(risks))) isStuck = true;
    if (isStuck || due.reduce((sum, { findingIds }) => sum + findingIds.length, 0) < BATCH) return;
  }

  /**
   * Removes or postpones all of these notes, so that the next search finds others.
   * @returns false if it would find the same
   */
  async function openOf(due: DueRisks): Promise<boolean> {
    const { orgId, findingIds } = due;
    const tables = knownOrgs.tablesOf({ id: orgId });
    const condition = { if_status: 'wontfix' as const, if_accepted_until: now.toISOString() };
    const changes = findingIds.map((id) => ({ id, status: 'open' as const, ...condition }));
    try {
      const changer = { now, actorId: null, changeId: nextId().id, endsRisk: true };
      await changeFindings(sql, tables, changes, changer);
      await settleRisks(sql, tables, due, now);
    } catch (error) {
      log.error('findings whose risk was accepted until now are not open again', { org: orgId, error });
      try {
        await postponeRisks(sql, due, new Date(now.getTime() + RETRY_MS));
      } catch (error) {
        log.error('findings whose risk was accepted until now are not postponed', { org: orgId, error });
        return false;
      }
    }
    return true;
  }
}
