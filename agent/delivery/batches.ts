import { v7 as uuidv7 } from 'uuid';
import { type Schemas, ServiceError } from '../../lib/client/index.ts';
import { type Entry, isPending, type Outcome, type SentBatch } from '../journal/lines.ts';
import { describeRefusal, isRefusal } from './refusals.ts';

/** The service accepts 1,000 findings and 8 MiB, but many proxies accept 1 MiB only. */
const MAX_FINDINGS = 500;
const MAX_BYTES = 1_000_000;

/** Findings of one request. */
export interface Batch extends SentBatch {
  isSent: boolean;
  /** The body of the request. */
  body: string;
}

/**
 * Splits findings into batches. A batch that was sent before stays the same, because the service may have written it: the
 * service then repeats its first response.
 * @param format formats a finding as JSON
 */
export function* batchesOf(
  sent: Iterable<SentBatch>,
  entries: readonly Entry[],
  format: (entry: Entry) => string,
): Generator<Batch, void> {
  const pending = new Set(entries.filter(isPending));
  for (const batch of [...sent]) {
    if (!batch.entries.some((entry) => pending.has(entry))) continue;
    for (const entry of batch.entries) pending.delete(entry);
    yield { ...batch, isSent: true, body: bodyOf(batch.entries.map(format)) };
  }
  let batch: Entry[] = [];
  let texts: string[] = [];
  let bytes = 0;
  const next = (): Batch => ({ key: uuidv7(), entries: batch, isSent: false, body: bodyOf(texts) });
  for (const entry of pending) {
    const text = format(entry);
    const size = Buffer.byteLength(text) + 1;
    if (batch.length > 0 && (batch.length >= MAX_FINDINGS || bytes + size > MAX_BYTES)) {
      yield next();
      batch = [];
      texts = [];
      bytes = 0;
    }
    batch.push(entry);
    texts.push(text);
    bytes += size;
  }
  if (batch.length > 0) yield next();
}

const bodyOf = (texts: readonly string[]) => `{"findings":[${texts.join(',')}]}`;

/** Thrown if a successful response is not the result of a batch. */
class NoBatchResult extends Error {}

/** The outcome of each pending finding in a response, and the first error of a finding that the service could not write. */
export function outcomesOf(
  entries: readonly Entry[],
  result: Partial<Schemas['BatchResult']> | undefined,
): { outcomes: Outcome[]; error: ServiceError | undefined } {
  const results = result?.results;
  if (!Array.isArray(results)) throw new NoBatchResult('The response is not the result of a batch.');
  if (results.length !== entries.length)
    throw new Error(`The service answered ${results.length} of ${entries.length} findings of a batch.`);
  const outcomes: Outcome[] = [];
  let error: ServiceError | undefined;
  for (const [i, entry] of entries.entries()) {
    if (!isPending(entry)) continue;
    const item: unknown = results[i];
    if (!isItem(item))
      throw new Error('The service answered a finding of a batch with neither an id nor an error.');
    const outcome = outcomeOf(entry, item);
    if (outcome instanceof ServiceError) error ??= outcome;
    else outcomes.push(outcome);
  }
  return { outcomes, error };
}

type Item = Schemas['BatchResult']['results'][number];

function isItem(value: unknown): value is Item {
  const { status, id, error, finding_status } = (value ?? {}) as Partial<Record<string, unknown>>;
  if (status === 'failed') return typeof error === 'object' && error !== null;
  if (finding_status !== undefined && !isShortText(finding_status)) return false;
  return (status === 'created' || status === 'deduplicated') && isShortText(id);
}

/** Longer ids would fill the journal. */
const MAX_ID_CHARACTERS = 100;
const isShortText = (value: unknown): boolean =>
  typeof value === 'string' && value !== '' && value.length <= MAX_ID_CHARACTERS;

/** The status of a single push that fails with an error of this type. */
const STATUSES = new Map([
  ['validation_error', 400],
  ['token_error', 403],
  ['permission_error', 403],
  ['resource_error', 404],
  ['rate_limit_error', 429],
]);

const NO_HEADERS = { get: () => null };

function outcomeOf(entry: Entry, item: Item): Outcome | ServiceError {
  if (item.status !== 'failed') {
    const { id, status, regressed, finding_status = 'open' } = item;
    const deduplicated = status === 'deduplicated';
    return { entry, receipt: { id, deduplicated, status: finding_status, ...(regressed && { regressed }) } };
  }
  const status = STATUSES.get(item.error.type) ?? 500;
  const error = new ServiceError({ status, headers: NO_HEADERS }, { errors: [item.error] });
  return isRefusal(error) ? { entry, refused: describeRefusal(error) } : error;
}

/** Whether a request failed because the service is older than batches. */
export const isUnknownToService = (error: unknown): boolean =>
  error instanceof NoBatchResult ||
  (error instanceof ServiceError && (error.status === 404 || error.status === 405));

/**
 * Whether nothing of a batch was written, but its findings may be accepted one by one. A proxy may limit the size of a request
 * or block one finding, and another token may have used the key.
 */
export const refusesBatch = (error: unknown): boolean =>
  isUnknownToService(error) ||
  isRefusal(error) ||
  (error instanceof ServiceError && error.code === 'conflict');
