import { v7 as uuidv7 } from 'uuid';
import { type Client, ServiceError } from '../../lib/client/index.ts';
import type { Journal } from '../journal/journal.ts';
import { type Entry, isPending } from '../journal/lines.ts';
import type { ScanEnd } from '../scan.ts';
import { isTransient, isUnreachable, type Wait, withRetries } from './retry.ts';

/** Why a delivery stopped early. Pending findings stay in the journal. */
export interface DeliveryFailure {
  /** `not_accepted`: the service refused the key, the project or the scan. */
  reason: 'unreachable' | 'not_accepted' | 'aborted';
  message: string;
  error?: unknown;
}

export interface DeliveryOptions {
  client: Client;
  /** Number of concurrent pushes. */
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

/** Stops a delivery when this many consecutive findings fail with a transient error. */
const MAX_FAILURES_IN_A_ROW = 5;

export interface Delivery {
  /** Registers the scan if it is not registered yet. */
  register(): Promise<DeliveryFailure | undefined>;
  /** Pushes entries, by default all pending ones. */
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
    const message = error instanceof ServiceError ? describeRefusal(error) : (error as Error).message;
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

  async function push(
    entries: readonly Entry[] = journal.entries.filter(isPending),
  ): Promise<DeliveryFailure | undefined> {
    const failed = await register();
    if (failed) return failed;
    const project_id = journal.projectId as string;
    const { scan_id } = journal.scan;
    let failure: DeliveryFailure | undefined;
    let failuresInARow = 0;
    const queue = entries.values();
    const worker = async () => {
      for (const entry of queue) {
        if (failure || signal?.aborted) return;
        try {
          const body = { ...entry.finding, scan_id, project_id };
          let attempts = 0;
          const { result } = await attempt(() => {
            attempts++;
            return client.post('/agent/findings', { body });
          });
          // The service may have stored the finding although the response to an earlier attempt was lost.
          const isOwn = attempts > 1 && result.scan_id === scan_id;
          journal.markDelivered(entry, {
            id: result.id,
            deduplicated: result.deduplicated && !isOwn,
            status: result.status,
            ...(result.regressed && { regressed: true }),
          });
          failuresInARow = 0;
          onProgress?.(entry);
        } catch (error) {
          if (isRefusal(error)) {
            journal.markRefused(entry, describeRefusal(error));
            onProgress?.(entry);
          } else if (
            isUnreachable(error) ||
            !isTransient(error) ||
            ++failuresInARow >= MAX_FAILURES_IN_A_ROW
          ) {
            failure ??= toFailure(error);
          }
        }
      }
    };
    await Promise.all(Array.from({ length: concurrency }, worker));
    return failure ?? (signal?.aborted ? toFailure(signal.reason) : undefined);
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
      await send({ status: 'completed' });
    }
  }

  return { register, push, end };
}

async function registerScan(client: Client, scan: Journal['scan']): Promise<string> {
  const { result } = await client.post('/agent/scans', { body: scan });
  return result.project_id;
}

const alreadyExists = (error: unknown) => error instanceof ServiceError && error.code === 'already_exists';

/** Whether the service refused this finding only; it may accept others. */
const isRefusal = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && (error.status === 400 || error.status === 413 || error.status === 422);

function describeRefusal({ message, details }: ServiceError): string {
  return [message, ...details.map(({ field, message }) => `${field} ${message}`)].join(' ');
}

function describeUnreachable(error: unknown): string {
  if (error instanceof ServiceError) return `the service responded with status ${error.status}`;
  const { message, cause } = error as Error & { cause?: Error };
  return `the service cannot be reached (${cause?.message || message})`;
}
