import type { Db } from '../../db/client.ts';
import type { Ingest } from '../../db/findings/ingest/ingest.ts';
import type { Sql } from '../../db/pool/query.ts';
import { FindingInput } from '../findings/input.ts';
import { refusalError } from '../findings/pushes/pushes.ts';
import { isValidPush } from '../findings/valid-push.ts';
import type { Finding } from '../importers/finding.ts';
import type { Logger } from '../logger.ts';
import type { Org } from '../orgs/directory.ts';
import type { OpenReport } from './reader.ts';

/** The outcome for the findings of a report. */
export interface Tally {
  new: number;
  again: number;
  regressed: number;
  /** Findings that could not be stored. */
  failed: number;
}

/** Where findings are pushed. */
export interface PushContext {
  db: Db;
  log: Logger;
  org: Org;
  services: { ingest: Ingest };
  sql: Sql;
}

export interface PushTarget {
  scan_id: string;
  project_id: string;
  /** The token or user that sent the report. */
  actorId: string;
}

/** Parts that are written at a time: one is prepared while the other is written. */
const AT_ONCE = 2;
/** Findings of a report that could not be stored. The scan says how many there are. */
const MAX_LOGGED = 10;

/**
 * Pushes the findings of a report as single pushes are, and closes it. Findings that cannot be stored are logged and counted.
 * @param requireHeld called before each part; throws if the import must end
 * @throws Error if the database is unavailable, or the scan was deleted
 */
export async function pushReport(
  call: PushContext,
  target: PushTarget,
  report: OpenReport,
  requireHeld: () => void,
): Promise<Tally> {
  const tally: Tally = { new: 0, again: 0, regressed: 0, failed: 0 };
  let hasFailed = false;
  const pushParts = async () => {
    while (!hasFailed) {
      requireHeld();
      const findings = await report.next();
      if (findings.length === 0) return;
      await pushPart(call, target, findings, tally);
    }
  };
  const parts = Array.from({ length: AT_ONCE }, () =>
    pushParts().catch((error) => {
      hasFailed = true;
      throw error;
    }),
  );
  const ends = await Promise.allSettled(parts);
  report.close();
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return tally;
}

async function pushPart(
  call: PushContext,
  { actorId, ...ids }: PushTarget,
  findings: readonly Finding[],
  tally: Tally,
): Promise<void> {
  const { log, org, services } = call;
  const pushes = findings.flatMap((finding) => {
    const push = { ...finding, ...ids };
    if (isValidPush(push)) return push;
    countFailed('an imported finding is invalid', { issues: FindingInput.safeParse(push).error?.issues });
    return [];
  });
  const ends = await Promise.allSettled(pushes.map((push) => services.ingest(org, actorId, push)));
  for (const end of ends) {
    if (end.status === 'rejected') throw end.reason;
    const outcome = end.value;
    if (outcome.kind === 'written') {
      tally[outcome.deduplicated ? 'again' : 'new']++;
      if (outcome.regressed) tally.regressed++;
    } else if (outcome.kind === 'failed') {
      countFailed('an imported finding was not stored', { error: outcome.error });
    } else {
      throw await refusalError(call, outcome.kind, ids.project_id);
    }
  }

  function countFailed(message: string, why: object): void {
    if (tally.failed++ < MAX_LOGGED) log.error(message, { scan: ids.scan_id, ...why });
  }
}
