import type { Db } from '../../db/client.ts';
import { markPurged } from '../../db/deletions/purge.ts';
import { retried } from '../../db/errors.ts';
import type { Org } from '../orgs/directory.ts';
import { type Actor, mailControl } from '../orgs/notices.ts';

/**
 * Ends the possibility to undo a deletion, and tells all owners of the organization.
 * @returns false if there is no such deletion, or it is in progress
 */
export const purgeForGood = (db: Db, org: Org, id: string, actor: Actor): Promise<boolean> =>
  retried(() =>
    db.transaction(async (tx) => {
      const findings = await markPurged(tx, org.tables, { id, orgId: org.id });
      if (findings === undefined) return false;
      await mailControl(tx, actor, org.id, 'deletion_purged', [['Findings', String(findings)]]);
      return true;
    }),
  );
