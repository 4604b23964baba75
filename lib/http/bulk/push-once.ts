import { BATCH_ROWS } from '../../../db/batches.ts';
import {
  claimKey,
  deleteOldKeys,
  KEY_TTL_MS,
  readOutcomes,
} from '../../../db/findings/ingest/idempotency.ts';
import type { Push, PushOutcome } from '../../../db/findings/ingest/push.ts';
import { refreshSummary } from '../../../db/scans/scans.ts';
import { perOrg } from '../../../db/schema/org-schema.ts';
import { hashedUuid } from '../../crypto/random.ts';
import { ApiError } from '../../errors.ts';
import type { AgentCall } from '../call.ts';

/**
 * Writes the pushes of a request. With an idempotency key, each is written once, however often the request is repeated.
 * @param pushes an invalid one is its error
 * @returns the outcomes, in the order of the pushes
 * @throws ApiError `resource_error/conflict` if the key was used with another body
 */
export async function writePushes(
  call: AgentCall,
  pushes: readonly (Push | ApiError)[],
  key: string | undefined,
): Promise<PushOutcome[]> {
  const { org, services, sql, token } = call;
  const claim = key === undefined ? undefined : await claimFor(call, key);
  const repeatedScans = new Set<string>();
  const outcomes = await Promise.all(
    pushes.map((push, position) => {
      if (push instanceof ApiError) return failed(push);
      const recorded = claim?.recorded?.get(position);
      if (recorded?.kind === 'written') repeatedScans.add(push.scan_id);
      const record = claim && { key: claim.key, position, claimed_at: claim.claimedAt };
      return recorded ?? services.ingest(org, token.id, push, record).catch(failed);
    }),
  );
  // The process may have ended after it wrote pushes for a scan that had ended, and before it refreshed the scan's summary.
  for (const scanId of repeatedScans) await refreshSummary(sql, org.tables, scanId);
  return outcomes;
}

const failed = (error: unknown): PushOutcome => ({ kind: 'failed', error });

/** Claims a key for a request, and reads the outcomes that requests with this key have recorded, by position. */
async function claimFor(call: AgentCall, keyOfClient: string) {
  const { bodyBytes, now, org, sql, token } = call;
  // Keys are often predictable, such as the number of a pipeline. A project's token cannot use up those of other projects.
  const project = token.projectId === null ? [] : ['\0', token.projectId];
  const key = hashedUuid(keyOfClient, ...project);
  const body = hashedUuid(bodyBytes);
  const claim = await claimKey(sql, org.tables, { key, body, now });
  if (claim.body !== body) {
    const message = 'The idempotency key was used with another body.';
    throw new ApiError('resource_error/conflict', { message });
  }
  if (claim.is_new) await deleteOld(call);
  const recorded = claim.is_new ? undefined : await readOutcomes(sql, org.tables, key);
  return { key, claimedAt: claim.created_at, recorded };
}

/** When old keys of an organization were deleted last. */
const lastClean = perOrg(() => ({ at: 0 }));
const CLEAN_INTERVAL_MS = KEY_TTL_MS / 24;

/** Deletes old keys, once per hour or until none are left. */
async function deleteOld({ now, org, sql }: AgentCall): Promise<void> {
  const last = lastClean(org);
  if (now.getTime() - last.at < CLEAN_INTERVAL_MS) return;
  const deleted = await deleteOldKeys(sql, org.tables, now);
  if (deleted < BATCH_ROWS) last.at = now.getTime();
}
