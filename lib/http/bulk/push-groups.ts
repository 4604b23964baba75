import { BATCH_ROWS } from '../../../db/batches.ts';
import {
  claimKey,
  deleteOldKeys,
  type GroupRecord,
  KEY_TTL_MS,
  readOutcomes,
  type StoredOutcome,
} from '../../../db/findings/ingest/idempotency.ts';
import { groupPushes } from '../../../db/findings/ingest/ingest.ts';
import type { Push } from '../../../db/findings/ingest/push.ts';
import { refreshSummary } from '../../../db/scans/scans.ts';
import { perOrg } from '../../../db/schema/org-schema.ts';
import { hashedUuid } from '../../crypto/random.ts';
import { ApiError } from '../../errors.ts';
import type { AgentCall } from '../call.ts';

/* Pushes of one request are written in groups, each by one statement that also records the outcomes under an idempotency key. */

/** A push and its position in the request. */
export interface Positioned {
  position: number;
  push: Push;
}

/** When old keys of an organization were deleted last. */
const lastClean = perOrg(() => ({ at: 0 }));
const CLEAN_INTERVAL_MS = KEY_TTL_MS / 24;

/** The outcome of each push, by its position in the request. */
export type Outcomes<Other = never> = Map<number, StoredOutcome | Error | Other>;

/** Writes groups of pushes at the same time. @param claim what they are recorded under */
async function write(
  { services, org, token }: AgentCall,
  items: readonly Positioned[],
  claim?: Omit<GroupRecord, 'positions'>,
): Promise<Outcomes<'repeated'>> {
  const outcomes: Outcomes<'repeated'> = new Map();
  await Promise.all(
    groupPushes(items).map(async (group) => {
      const pushes = group.map(({ push }) => push);
      const positions = group.map(({ position }) => position);
      const results = await services
        .ingest(org, token.id, { pushes, record: claim && { ...claim, positions } })
        .catch((error: Error) => group.map(() => error));
      for (const [i, result] of results.entries()) outcomes.set(positions[i] as number, result);
    }),
  );
  return outcomes;
}

/** Writes pushes, in groups. */
export const writePushes = async (call: AgentCall, items: readonly Positioned[]): Promise<Outcomes> =>
  // Only what is recorded can be repeated.
  (await write(call, items)) as Outcomes;

/**
 * Writes the pushes of a request that have not been written under its key.
 * @throws ApiError `resource_error/conflict` if the key was used with another body
 */
export async function writePushesOnce(
  call: AgentCall,
  items: readonly Positioned[],
  key: string,
): Promise<Outcomes> {
  const { bodyBytes, now, org, sql, token } = call;
  // A token of another project may write other findings of the same body.
  const body = hashedUuid(token.projectId ?? '', bodyBytes);
  const request = { key: hashedUuid(key), body, now };
  const claim = await claimKey(sql, org.tables, request);
  if (claim.body !== body) {
    const message = 'The idempotency key was used with another body.';
    throw new ApiError('resource_error/conflict', { message });
  }
  const record = { key: request.key, claimedAt: claim.created_at };
  if (claim.is_new) {
    await deleteOld(call);
    const written = await write(call, items, record);
    if (isComplete(written)) return written;
  }
  for (;;) {
    const stored = await readOutcomes(sql, org.tables, request.key);
    const written = await write(
      call,
      items.filter(({ position }) => !stored.has(position)),
      record,
    );
    // If another request with this key has written some of them meanwhile, their outcomes are stored now.
    if (isComplete(written)) {
      await refreshSummaries(call, items, stored);
      return new Map([...stored, ...written]);
    }
  }
}

const isComplete = (outcomes: Outcomes<'repeated'>): outcomes is Outcomes =>
  ![...outcomes.values()].includes('repeated');

/** The process may have ended after it wrote pushes for a scan that had ended, and before it refreshed the scan's summary. */
async function refreshSummaries(
  { org, sql }: AgentCall,
  items: readonly Positioned[],
  stored: ReadonlyMap<number, StoredOutcome>,
): Promise<void> {
  const scanIds = new Set(
    items.flatMap(({ position, push }) => (stored.get(position)?.kind === 'written' ? push.scan_id : [])),
  );
  for (const scanId of scanIds) await refreshSummary(sql, org.tables, scanId);
}

/** Deletes old keys, once per hour or until none are left. */
async function deleteOld({ now, org, sql }: AgentCall): Promise<void> {
  const last = lastClean(org);
  if (now.getTime() - last.at < CLEAN_INTERVAL_MS) return;
  const deleted = await deleteOldKeys(sql, org.tables, now);
  if (deleted < BATCH_ROWS) last.at = now.getTime();
}
