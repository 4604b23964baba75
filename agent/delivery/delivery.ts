import { v7 as uuidv7 } from 'uuid';
import { type Client, ServiceError } from '../../lib/client/index.ts';
import { isTransient, isUnreachable, type Wait, withRetries } from '../../lib/client/retry.ts';
import type { Journal } from '../journal/journal.ts';
import { type Entry, isPending, type Outcome } from '../journal/lines.ts';
import { describedBy, type ScanEnd } from '../scan.ts';
import { type Batch, batchesOf, isUnknownToService, outcomesOf, refusesBatch } from './batches.ts';
import { describeError, describeRefusal, describeUnreachable, isRefusal } from './refusals.ts';

/** Why a delivery stopped early. Pending findings stay in the journal. */
export interface DeliveryFailure {
  /** `not_accepted`: the service refused the key, the project or the scan. */
  reason: 'unreachable' | 'not_accepted' | 'aborted';
  message: string;
  error?: unknown;
}

export interface DeliveryOptions {
  client: Client;
  /** Number of concurrent requests. */
  concurrency: number;
  /** Seconds before each further attempt. */
  retryDelays?: readonly number[] | undefined;
  /** Waits between attempts. Default: a timer. */
  wait?: Wait | undefined;
  /** Stops retries. The client must abort its own requests. */
  signal?: AbortSignal | undefined;
  /** Called after each finding that was delivered or refused. */
  onProgress?: ((entry: Entry) => void) | undefined;
}

/** Stops a delivery when this many consecutive requests fail with a transient error. */
const MAX_FAILURES_IN_A_ROW = 5;
/** The number of concurrent batches. More are not faster. */
const MAX_BATCHES = 4;

export interface Delivery {
  /** Registers the scan if it is not registered yet. */
  register(): Promise<DeliveryFailure | undefined>;
  /** Pushes entries, by default all pending ones, in batches or, at older services, one by one. */
  push(entries?: readonly Entry[]): Promise<DeliveryFailure | undefined>;
  /** Ends the scan at the service. */
  end(end: ScanEnd): Promise<DeliveryFailure | undefined>;
}

/** Delivers a journal's scan to the service. Failures are returned, not thrown. */
export function createDelivery(journal: Journal, options: DeliveryOptions): Delivery {
  const { client, concurrency, retryDelays: delays, wait, signal, onProgress } = options;
  const attempt = <T>(call: () => Promise<T>) => withRetries(call, { delays, wait, signal });

  function toFailure(error: unknown): DeliveryFailure {
    if (signal?.aborted) return { reason: 'aborted', message: 'the agent was stopped', error };
    if (isTransient(error)) return { reason: 'unreachable', message: describeUnreachable(error), error };
    const message = describeError(error as Error);
    return { reason: 'not_accepted', message, error };
  }

  let registering: Promise<DeliveryFailure | undefined> | undefined;

  /** Concurrent reports share one registration. */
  function register(): Promise<DeliveryFailure | undefined> {
    if (journal.projectId !== undefined) return Promise.resolve(undefined);
    registering ??= registerNow().finally(() => {
      registering = undefined;
    });
    return registering;
  }

  async function registerNow(): Promise<DeliveryFailure | undefined> {
    try {
      const { scan } = journal;
      const projectId = await attempt(() => registerScan(client, scan)).catch((error) => {
        // An earlier attempt succeeded, but its response was lost.
        if (!alreadyExists(error)) throw error;
        return scan.project_id;
      });
      if (projectId !== undefined) {
        journal.markRegistered(scan.scan_id, projectId);
        return undefined;
      }
      // The lost response contained the project id. Registering another scan returns it.
      const replacement = { ...scan, scan_id: uuidv7() };
      journal.markRegistered(replacement.scan_id, await attempt(() => registerScan(client, replacement)));
      const params = { path: { id: scan.scan_id } };
      const body = { status: 'failed' as const, error_message: `registered again as ${replacement.scan_id}` };
      // Otherwise the first scan would stay `running`. A failure here does not affect the delivery.
      await attempt(() => client.patch('/agent/scans/{id}', { params, body })).catch(() => {});
      return undefined;
    } catch (error) {
      return toFailure(error);
    }
  }

  /** Whether the service accepts batches. Older ones do not. */
  let acceptsBatches = true;

  async function push(
    entries: readonly Entry[] = journal.entries.filter(isPending),
  ): Promise<DeliveryFailure | undefined> {
    const failed = await register();
    if (failed) return failed;
    const single: Entry[] = [];
    const stopped = await sendAll(
      batchesOf(journal.batches, entries, createFormat()),
      Math.min(concurrency, MAX_BATCHES),
      async (batch) => {
        if (!(await pushBatch(batch))) single.push(...batch.entries.filter(isPending));
      },
    );
    return stopped ?? (await sendAll(single.values(), concurrency, pushOne));
  }

  /** Sends items, several at a time, until the service is expected to fail the others too. */
  async function sendAll<T>(
    items: IterableIterator<T>,
    atATime: number,
    send: (item: T) => Promise<void>,
  ): Promise<DeliveryFailure | undefined> {
    let failure: DeliveryFailure | undefined;
    let failuresInARow = 0;
    const worker = async () => {
      for (const item of items) {
        if (failure || signal?.aborted) return;
        try {
          await send(item);
          failuresInARow = 0;
        } catch (error) {
          if (isUnreachable(error) || !isTransient(error) || ++failuresInARow >= MAX_FAILURES_IN_A_ROW)
            failure ??= toFailure(error);
        }
      }
    };
    await Promise.all(Array.from({ length: atATime }, worker));
    return failure ?? (signal?.aborted ? toFailure(signal.reason) : undefined);
  }

  const scope = () => ({ scan_id: journal.scan.scan_id, project_id: journal.projectId as string });

  /** Formats findings for a batch. */
  function createFormat(): (entry: Entry) => string {
    const end = `,${JSON.stringify(scope()).slice(1)}`;
    return ({ finding }) => JSON.stringify(finding).slice(0, -1) + end;
  }

  function mark(outcomes: readonly Outcome[]): void {
    journal.mark(outcomes);
    for (const { entry } of outcomes) onProgress?.(entry);
  }

  /**
   * Pushes a batch. Findings that the service could not write are retried in the same batch.
   * @returns false if its findings must be pushed one by one
   * @throws the error of a finding that is still pending
   */
  async function pushBatch({ key, entries, isSent, body }: Batch): Promise<boolean> {
    if (acceptsBatches) {
      if (!isSent) await journal.addBatch({ key, entries });
      const params = { header: { 'idempotency-key': key }, query: { include: 'finding_status' as const } };
      // The body is formatted already.
      const request = { params, body: { findings: [] }, bodySerializer: () => body };
      let isAccepted = false;
      try {
        await attempt(async () => {
          const { result } = await client.post('/agent/findings/batch', request);
          const { outcomes, error } = outcomesOf(entries, result);
          isAccepted = true;
          mark(outcomes);
          if (error) throw error;
        });
        journal.endBatch(key);
        return true;
      } catch (error) {
        if (isAccepted || !refusesBatch(error)) throw error;
        if (isUnknownToService(error)) acceptsBatches = false;
      }
    }
    journal.endBatch(key);
    return false;
  }

  async function pushOne(entry: Entry): Promise<void> {
    const body = { ...entry.finding, ...scope() };
    let attempts = 0;
    try {
      const { result } = await attempt(() => {
        attempts++;
        return client.post('/agent/findings', { body });
      });
      // The service may have stored the finding although the response to an earlier attempt was lost.
      const isOwn = attempts > 1 && result.scan_id === body.scan_id;
      const receipt = {
        id: result.id,
        deduplicated: result.deduplicated && !isOwn,
        status: result.status,
        ...(result.regressed && { regressed: true }),
      };
      mark([{ entry, receipt }]);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      mark([{ entry, refused: describeRefusal(error) }]);
    }
  }

  async function end(scanEnd: ScanEnd): Promise<DeliveryFailure | undefined> {
    try {
      if (!journal.end) journal.setEnd(scanEnd);
      const failed = await register();
      if (failed) return failed;
      await patch(scanEnd);
      journal.markEnded();
      return undefined;
    } catch (error) {
      return toFailure(error);
    }
  }

  async function patch(scanEnd: ScanEnd): Promise<void> {
    const params = { path: { id: journal.scan.scan_id } };
    const send = (body: ScanEnd) => attempt(() => client.patch('/agent/scans/{id}', { params, body }));
    try {
      await send(scanEnd);
    } catch (error) {
      // The scan has already ended with another status, which is final.
      if (error instanceof ServiceError && error.code === 'conflict') return;
      const isRefused = error instanceof ServiceError && error.status === 400;
      if (!isRefused || scanEnd.status !== 'completed' || scanEnd.error_message === undefined) throw error;
      // An older service does not accept a message for a completed scan.
      await send({ status: 'completed', ...describedBy(scanEnd) });
    }
  }

  return { register, push, end };
}

async function registerScan(client: Client, scan: Journal['scan']): Promise<string> {
  const { result } = await client.post('/agent/scans', { body: scan });
  return result.project_id;
}

const alreadyExists = (error: unknown) => error instanceof ServiceError && error.code === 'already_exists';
