import { and, asc, gt, gte } from 'drizzle-orm';
import { expireEntries } from '../../db/audit/expire.ts';
import { noteUnfinished } from '../../db/deletions/jobs.ts';
import { expireDeletions } from '../../db/deletions/purge.ts';
import { isMissingTable, isWorkerDown } from '../../db/errors.ts';
import { purgeEvents, wakeForgotten } from '../../db/events/deliveries.ts';
import { purgeChanges, purgeRuleChanges } from '../../db/findings/changes/purge.ts';
import { purgeIssues } from '../../db/issues/purge.ts';
import { noteDeleted } from '../../db/projects/deletion.ts';
import { removeStrayMarks } from '../../db/projects/transfer/marks.ts';
import { orgs } from '../../db/schema/orgs.ts';
import { deletionsSince } from '../deletions/deletion.ts';
import { undoableSince } from '../findings/triage/changes.ts';
import type { Services } from '../services.ts';
import { purgeCi } from '../tokens/ci/exchange.ts';

const PAGE = 500;
const DAY_MS = 24 * 60 * 60 * 1_000;
/** How long events and their deliveries are kept. */
const EVENTS_MS = 30 * DAY_MS;

/**
 * Deletes the changes of all organizations that can no longer be undone, by users and by rules, old events, issues that nobody needs, expired tokens of CI systems,
 * purges such deletions, and removes expired entries of audit logs. Notes deleted projects and unfinished deletions again, and removes marks of transfers that do not
 * exist: that happens when the organization was restored from a backup. Makes destinations due whose
 * deliveries were forgotten.
 * @throws the first error of an organization, after all others were purged; a worker of Citus that is down is none
 */
export async function purgeOrgs({
  database: { db, sql },
  knownOrgs,
  orgMigrations,
  clock,
  log,
  config,
}: Pick<Services, 'config' | 'database' | 'knownOrgs' | 'orgMigrations' | 'clock' | 'log'>): Promise<void> {
  const before = undoableSince(clock());
  let last: string | undefined;
  let failure: unknown;
  for (;;) {
    const page = await db
      .select({ id: orgs.id })
      .from(orgs)
      .where(and(gte(orgs.schemaVersion, orgMigrations.length), last ? gt(orgs.id, last) : undefined))
      .orderBy(asc(orgs.id))
      .limit(PAGE);
    for (const org of page) {
      const tables = knownOrgs.tablesOf(org);
      try {
        await purgeChanges(sql, tables, before);
        await purgeRuleChanges(sql, tables);
        const noEvents = new Date(clock().getTime() - EVENTS_MS);
        await purgeEvents(sql, tables, noEvents);
        await purgeIssues(sql, tables, org.id);
        await wakeForgotten(sql, tables, org.id, clock());
        await purgeCi(db, tables, clock());
        if (config.auditDays > 0)
          await expireEntries(sql, tables, new Date(clock().getTime() - config.auditDays * DAY_MS));
        await expireDeletions(sql, tables, org.id, deletionsSince(clock()));
        await noteUnfinished(sql, tables, org.id);
        await noteDeleted(sql, tables, org.id);
        await removeStrayMarks(sql, tables, org.id);
      } catch (error) {
        // Purged since the page was read.
        if (isMissingTable(error)) continue;
        // The others do not wait for this one.
        log.error('an organization is not purged yet', { org: org.id, error });
        if (!isWorkerDown(error)) failure ??= error;
      }
    }
    last = page.at(-1)?.id;
    if (page.length < PAGE) break;
  }
  if (failure) throw failure;
}
