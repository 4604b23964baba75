import type { PushRow } from '../../../db/findings/ingest/push.ts';
import {
  addEvents,
  addRecords,
  addRefs,
  addRuleChanges,
  addSightings,
  changeCounts,
  insertPushes,
  lockStatement,
} from '../../../db/findings/ingest/routed-statements.ts';
import type { OrgTables } from '../../../db/schema/org.ts';
import type { SqlClient } from '../../../db/statements.ts';

const ID = '01890a5d-ac96-774b-bcce-b302099a8057';
const AT = '2026-03-01T12:00:00.000Z';

/** Sends every statement that writes pushes on Citus. */
export async function sendPushStatements(client: SqlClient, tables: OrgTables): Promise<void> {
  const push: PushRow & { actor_id: string } = {
    ...{ ord: 0, id: ID, at: AT, actor: 1, actor_id: ID, project_id: ID, scan_id: 'one' },
    ...{ fingerprint: 'print', title: 'Title', severity: 'high', description: 'Text' },
  };
  await lockStatement(tables).run(client, { scanIds: '{one}', actorIds: `{${ID}}`, now: AT });
  await insertPushes(client, tables, [push], 0);
  await changeCounts(client, tables, [
    { project_id: ID, severity: 'high', status: 'open', count: 1, regressed: 0, proposed: 0 },
  ]);
  await addEvents(client, tables, [
    { finding_id: ID, at: AT, push_id: ID, kind: 'status', actor_id: ID, scan_id: 'one' },
  ]);
  await addRuleChanges(client, tables, [{ rule_id: ID, finding_id: ID }]);
  await addSightings(client, tables, [{ scan_id: 'one', finding_id: ID }]);
  await addRefs(client, tables, [{ finding_id: ID, series_id: ID, last_seen_at: AT, last_scan_id: 'one' }]);
  await addRecords(client, tables, [
    {
      ...{ key: ID, position: 0, created_at: AT, has_scan: true, finding_id: ID },
      ...{ deduplicated: false, regressed: false, status: 'open' },
    },
  ]);
}
