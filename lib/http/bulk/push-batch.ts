import type { Push } from '../../../db/findings/ingest/push.ts';
import { FINDING_STATUSES } from '../../../db/schema/values.ts';
import { ApiError } from '../../errors.ts';
import { FindingInput } from '../../findings/input.ts';
import { type Refusal, refusalError } from '../../findings/pushes/pushes.ts';
import { anotherProject, isInScope } from '../../projects/projects.ts';
import { count, id, z } from '../../schema.ts';
import type { AgentCall } from '../call.ts';
import { ErrorObject } from '../openapi/operation.ts';
import { fieldErrors } from '../request/input.ts';
import { unexpectedError } from '../unexpected.ts';
import { type Outcomes, type Positioned, writePushes, writePushesOnce } from './push-groups.ts';

export const MAX_BATCH = 1_000;
/** The most bytes of a batch. */
export const MAX_BATCH_BYTES = 8 * 1024 * 1024;
const MAX_KEY_CHARACTERS = 128;
/** Describing what is wrong with a finding takes ten times as long as validating it. Other requests get a turn after so many. */
const FAILED_AT_ONCE = 50;
const KEY = new RegExp(`^[\\x20-\\x7e]{1,${MAX_KEY_CHARACTERS}}$`);

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
    .regex(KEY, `must be 1 to ${MAX_KEY_CHARACTERS} printable characters`)
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
    finding_status: z
      .enum(FINDING_STATUSES)
      .optional()
      .openapi({ description: 'The status of the finding. Only with `include=finding_status`.' }),
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

export const BatchQuery = z.object({
  include: z
    .enum(['finding_status'])
    .optional()
    .openapi({
      description: 'Adds the status of each finding to its entry.',
      // In Go, constants and types share their names, and `FindingStatus` is a type.
      'x-enum-varnames': ['IncludeFindingStatus'],
    } as object),
});

interface BatchOptions {
  /** The idempotency key. */
  key: string | undefined;
  withStatus: boolean;
}

/**
 * Writes the findings of a batch. Each fails on its own.
 * @throws ApiError `resource_error/conflict` if the key was used with another body; if nothing could be written, the reason
 */
export async function pushBatch(
  call: AgentCall,
  findings: readonly unknown[],
  { key, withStatus }: BatchOptions,
): Promise<z.output<typeof BatchResult>> {
  const entries: Entry[] = new Array(findings.length);
  const valid: Positioned[] = [];
  let failed = 0;
  for (const [position, finding] of findings.entries()) {
    const push = validate(call, finding);
    if (push instanceof ApiError) {
      entries[position] = { status: 'failed', error: push };
      if (++failed % FAILED_AT_ONCE === 0) await new Promise((turn) => setImmediate(turn));
    } else valid.push({ position, push });
  }
  const outcomes =
    key === undefined ? await writePushes(call, valid) : await writePushesOnce(call, valid, key);
  await addOutcomes(call, valid, outcomes, { entries, withStatus });
  return summarize(entries);
}

function validate({ token }: AgentCall, finding: unknown): Push | ApiError {
  const { data, error } = FindingInput.safeParse(finding);
  if (error) return fieldErrors(error, finding);
  return isInScope(token, data.project_id) ? data : anotherProject();
}

/** @throws ApiError if nothing was written because of unexpected errors */
async function addOutcomes(
  call: AgentCall,
  pushes: readonly Positioned[],
  outcomes: Outcomes,
  { entries, withStatus }: { entries: Entry[]; withStatus: boolean },
): Promise<void> {
  const { c, log, services } = call;
  const refusals = new Map<string, Promise<ApiError>>();
  const unexpected = new Map<unknown, ApiError>();
  let isTouched = false;
  for (const { position, push } of pushes) {
    const outcome = outcomes.get(position);
    if (outcome === undefined || outcome instanceof Error) {
      const error =
        unexpected.get(outcome) ??
        unexpectedError({ log, metrics: services.metrics }, c.get('request'), outcome);
      unexpected.set(outcome, error);
      entries[position] = { status: 'failed', error };
      continue;
    }
    isTouched = true;
    if (outcome.kind === 'written') {
      const { deduplicated, id, regressed, status } = outcome;
      entries[position] = {
        ...{ status: deduplicated ? 'deduplicated' : 'created', id, regressed },
        ...(withStatus && { finding_status: status }),
      };
    } else {
      const error = await refusal(outcome.kind, push.project_id);
      entries[position] = { status: 'failed', error };
    }
  }
  if (isTouched) call.tokenTouched();
  const [error] = unexpected.values();
  if (error && !isTouched) throw error;

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
