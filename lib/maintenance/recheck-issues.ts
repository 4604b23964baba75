import { isMissingTable } from '../../db/errors.ts';
import { readEnabledTrackers, recheckIssues } from '../../db/issues/recheck.ts';
import type { Services } from '../services.ts';

const PAGE = 500;

/** Has issues of all organizations read that were not read for a day, and those created that are pending for an hour. */
export async function recheckAllIssues({
  database: { sql },
  knownOrgs,
  clock,
  log,
}: Pick<Services, 'database' | 'knownOrgs' | 'clock' | 'log'>): Promise<void> {
  let after: string | null = null;
  for (;;) {
    const page = await readEnabledTrackers(sql, { after, limit: PAGE });
    for (const { id, org_id } of page) {
      await recheckIssues(sql, knownOrgs.tablesOf({ id: org_id }), id, clock()).catch((error) => {
        // Purged since the page was read, or not migrated yet. The others do not wait for this one.
        if (!isMissingTable(error)) log.error('issues are not read again', { destination: id, error });
      });
    }
    after = page.at(-1)?.id ?? null;
    if (page.length < PAGE) return;
  }
}
