import {
  deleteOldKeys,
  KEY_TTL_MS,
  MAX_KEY_CHARACTERS,
  readStored,
  recordNothing,
  type StoredOutcome,
} from '../../db/findings/ingest/idempotency.ts';
import { groupPushes, type PushOutcome } from '../../db/findings/ingest/ingest.ts';
import type { Push } from '../../db/findings/ingest/push.ts';
import { perOrg } from '../../db/schema/org-schema.ts';
import { sha256Hex } from '../crypto/random.ts';
import type { AgentCall } from '../http/call.ts';
import { ApiError } from '../http/errors.ts';
import { ErrorObject } from '../http/openapi/operation.ts';
import { fieldErrors } from '../http/request/input.ts';
import { count, id, z } from '../http/schema.ts';
import { unexpectedError } from '../http/unexpected.ts';
import { requireScope } from '../projects/projects.ts';
import { FindingInput } from './input.ts';
import { type Refusal, refusalError } from './pushes.ts';

export const MAX_BATCH = 1_000;
/** The most bytes of a batch. */
export const MAX_BATCH_BYTES = 8 * 1024 * 1024;

/** The findings are validated one by one, so that each fails on its own. */
export const FindingBatch = z
  .object({
    findings: z
      .array(z.unknown().openapi({ type: 'object', allOf: [{ $ref: '#/components/schemas/FindingInput' }] }))
      .min(1, 'must not be empty')
      .max(MAX_BATCH, `must have at most ${MAX_BATCH} findings`),
  })
  .openapi('FindingBatch');

export const IdempotencyKey = z.object({
  'idempotency-key': z
    .string()
    .regex(/^[\x20-\x7e]{1,128}$/, `must be 1 to ${MAX_KEY_CHARACTERS} printable characters`)
    .optional()
    .openapi({
      description:
        'Kept for 24 hours per organization. A repeated request with the same key and body gets the first response and changes nothing.',
      example: '01890a5d-ac96-774b-bcce-b302099a8057',
    }),
});

const Written = z
  .object({
    status: z.enum(['created', 'deduplicated']).openapi({ example: 'created' }),
    id: id(),
    regressed: z.boolean().openapi({ example: false }),
  })
  .openapi('PushedInBatch');

const Failed = z.object({ status: z.literal('failed'), error: ErrorObject }).openapi('FailedInBatch');

export const BatchResult = z
  .object({
    created: count(1),
    deduplicated: count(0),
    failed: count(0),
    results: z
      .array(z.discriminatedUnion('status', [Written, Failed]))
      .openapi({ description: 'One entry for each finding, in their order.' }),
  })
  .openapi('BatchResult');

type Entry = z.output<typeof Written> | { status: 'failed'; error: ApiError };

interface Positioned {
  position: number;
  push: Push;
}

/** When old keys of an organization were deleted last. */
const lastClean = perOrg(() => ({ at: 0 }));
const CLEAN_INTERVAL_MS = KEY_TTL_MS / 24;

/**
 * Writes the findings of a batch. Each fails on its own.
 * @param key the idempotency key, if any
 * @throws ApiError `resource_error/conflict` if the key was used with another body; if nothing could be written, the reason
 */
export async function pushBatch(
  call: AgentCall,
  findings: readonly unknown[],
  key: string | undefined,
): Promise<z.output<typeof BatchResult>> {
  const entries: Entry[] = new Array(findings.length);
  const valid: Positioned[] = [];
  for (const [position, finding] of findings.entries()) {
    const push = validate(call, finding);
    if (push instanceof ApiError) entries[position] = { status: 'failed', error: push };
    else valid.push({ position, push });
  }
  const outcomes =
    key === undefined ? await write(call, valid) : await writeOnce(call, valid, { key, findings });
  await addOutcomes(call, valid, outcomes, entries);
  return summarize(entries);
}

function validate({ token }: AgentCall, finding: unknown): Push | ApiError {
  const parsed = FindingInput.safeParse(finding);
  if (!parsed.success) return fieldErrors(parsed.error, finding);
  try {
    requireScope(token, parsed.data.project_id);
  } catch (error) {
    return error as ApiError;
  }
  return parsed.data;
}

type Outcomes = Map<number, PushOutcome | StoredOutcome | Error>;

interface Key {
  key: string;
  bodyHash: string;
}

/** Writes groups of pushes at the same time. @param withFirst whether they include the first group of the request */
async function write(
  { services, org, token }: AgentCall,
  pushes: readonly Positioned[],
  key?: Key,
  withFirst = false,
): Promise<Outcomes> {
  const outcomes: Outcomes = new Map();
  await Promise.all(
    groupPushes(pushes).map(async (group, i) => {
      const positions = group.map(({ position }) => position);
      const record = key && { ...key, positions, isFirst: withFirst && i === 0 };
      const results = await services
        .ingest(org, token.id, { pushes: group.map(({ push }) => push), record })
        .catch((error: Error) => group.map(() => error));
      for (const [index, position] of positions.entries())
        outcomes.set(position, results[index] as PushOutcome | Error);
    }),
  );
  return outcomes;
}

/** Writes the pushes of a request that have not been written under its key. */
async function writeOnce(
  call: AgentCall,
  pushes: readonly Positioned[],
  request: { key: string; findings: readonly unknown[] },
): Promise<Outcomes> {
  const { now, org, sql, token } = call;
  const { tables } = org;
  // A project token cannot write some of the findings of another token: that is another request.
  const bodyHash = sha256Hex(JSON.stringify([token.projectId, request.findings]));
  const key = { key: request.key, bodyHash };
  await deleteOld(call);

  const read = async () => {
    const stored = await readStored(sql, tables, { key: request.key, now });
    if (stored.bodyHash !== undefined && stored.bodyHash !== bodyHash)
      throw new ApiError('resource_error/conflict', {
        message: 'The idempotency key was used with another body.',
      });
    return stored;
  };
  const outcomes: Outcomes = new Map();
  let stored = await read();
  if (pushes.length === 0 && stored.bodyHash === undefined) {
    await recordNothing(sql, tables, { ...key, now });
    stored = await read();
  }
  const missing = () => pushes.filter(({ position }) => !stored.outcomes.has(position));
  const add = async (written: Outcomes) => {
    for (const [position, outcome] of written) outcomes.set(position, outcome);
    if ([...written.values()].some((outcome) => 'kind' in outcome && outcome.kind === 'repeated'))
      stored = await read();
  };
  if (stored.bodyHash === undefined) {
    const [first = []] = groupPushes(missing());
    await add(await write(call, first, key, true));
    const rest = new Set(first);
    await add(
      await write(
        call,
        missing().filter((push) => !rest.has(push)),
        key,
      ),
    );
  } else await add(await write(call, missing(), key));
  for (const [position, outcome] of stored.outcomes) outcomes.set(position, outcome);
  return outcomes;
}

async function deleteOld({ now, org, sql }: AgentCall): Promise<void> {
  const last = lastClean(org);
  if (now.getTime() - last.at < CLEAN_INTERVAL_MS) return;
  last.at = now.getTime();
  await deleteOldKeys(sql, org.tables, now);
}

/** @throws ApiError if nothing was written because of unexpected errors */
async function addOutcomes(
  call: AgentCall,
  pushes: readonly Positioned[],
  outcomes: Outcomes,
  entries: Entry[],
): Promise<void> {
  const { c, log, services } = call;
  const refusals = new Map<string, Promise<ApiError>>();
  const unexpected = new Map<unknown, ApiError>();
  let written = 0;
  for (const { position, push } of pushes) {
    const outcome = outcomes.get(position);
    if (outcome && 'kind' in outcome && outcome.kind !== 'repeated') written++;
    if (outcome && 'kind' in outcome && outcome.kind === 'written') {
      const { deduplicated, id, regressed } = outcome;
      entries[position] = { status: deduplicated ? 'deduplicated' : 'created', id, regressed };
    } else if (outcome && 'kind' in outcome && outcome.kind !== 'repeated') {
      const error = await refusal(outcome.kind, push.project_id);
      entries[position] = { status: 'failed', error };
    } else {
      const error =
        unexpected.get(outcome) ??
        unexpectedError({ log, metrics: services.metrics }, c.get('request'), outcome);
      unexpected.set(outcome, error);
      entries[position] = { status: 'failed', error };
    }
  }
  if (written > 0) call.tokenTouched();
  const [error] = unexpected.values();
  if (error && written === 0) throw error;

  function refusal(kind: Refusal, projectId: string): Promise<ApiError> {
    const key = `${kind} ${projectId}`;
    const found = refusals.get(key) ?? refusalError(call, kind, projectId);
    refusals.set(key, found);
    return found;
  }
}

function summarize(entries: readonly Entry[]): z.output<typeof BatchResult> {
  const counts = { created: 0, deduplicated: 0, failed: 0 };
  for (const { status } of entries) counts[status]++;
  return { ...counts, results: entries as z.output<typeof BatchResult>['results'] };
}
