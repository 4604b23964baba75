import type { Push, PushOutcome } from '../../../db/findings/ingest/push.ts';
import { FINDING_STATUSES } from '../../../db/schema/values.ts';
import { ApiError } from '../../errors.ts';
import { FindingInput } from '../../findings/input.ts';
import { refusalError } from '../../findings/pushes/pushes.ts';
import { anotherProject, isInScope } from '../../projects/projects.ts';
import { count, id, z } from '../../schema.ts';
import type { AgentCall } from '../call.ts';
import { ErrorObject } from '../openapi/operation.ts';
import { fieldErrors } from '../request/input.ts';
import { unexpectedError } from '../unexpected.ts';
import { writePushes } from './push-once.ts';

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
  const pushes: (Push | ApiError)[] = [];
  let invalid = 0;
  for (const finding of findings) {
    const push = validate(call, finding);
    pushes.push(push);
    if (push instanceof ApiError && ++invalid % FAILED_AT_ONCE === 0)
      await new Promise((turn) => setImmediate(turn));
  }
  const outcomes = await writePushes(call, pushes, key);
  const isKnown = outcomes.some(({ kind }) => kind !== 'failed');
  if (isKnown) call.tokenTouched = true;
  const errorOf = createErrors(call);
  let unexpected: ApiError | undefined;
  const counts = { created: 0, deduplicated: 0, failed: 0 };
  const results: z.output<typeof BatchResult>['results'] = [];
  const fail = (error: ApiError) => {
    counts.failed++;
    results.push({ status: 'failed', error: error.toJSON() });
  };
  for (const [position, push] of pushes.entries()) {
    const outcome = outcomes[position];
    if (push instanceof ApiError) {
      fail(push);
    } else if (outcome?.kind === 'written') {
      const { deduplicated, id, regressed, status: finding_status } = outcome;
      const status = deduplicated ? 'deduplicated' : 'created';
      counts[status]++;
      results.push({ status, id, regressed, ...(withStatus && { finding_status }) });
    } else {
      const error = await errorOf(outcome, push.project_id);
      if (outcome?.kind === 'failed') unexpected ??= error;
      fail(error);
    }
  }
  if (unexpected && !isKnown) throw unexpected;
  return { ...counts, results };
}

function validate({ token }: AgentCall, finding: unknown): Push | ApiError {
  const { data, error } = FindingInput.safeParse(finding);
  if (error) return fieldErrors(error, finding);
  return isInScope(token, data.project_id) ? data : anotherProject();
}

type NotWritten = Exclude<PushOutcome, { kind: 'written' }>;

/** Makes the errors of pushes that were not written. Equal ones are looked up, or logged, once. */
function createErrors(call: AgentCall) {
  const { c, log, services } = call;
  const known = new Map<unknown, ApiError>();
  const once = async (cause: unknown, make: () => ApiError | Promise<ApiError>): Promise<ApiError> => {
    const error = known.get(cause) ?? (await make());
    known.set(cause, error);
    return error;
  };
  const unexpected = (cause: unknown) =>
    unexpectedError({ log, metrics: services.metrics }, c.get('request'), cause);
  return (outcome: NotWritten | undefined, projectId: string): Promise<ApiError> =>
    outcome === undefined || outcome.kind === 'failed'
      ? once(outcome?.error, () => unexpected(outcome?.error))
      : once(`${outcome.kind} ${projectId}`, () => refusalError(call, outcome.kind, projectId));
}
