import { v7 as uuidv7 } from 'uuid';
import { type Client, ServiceError } from '../lib/client/index.ts';
import type { Journal } from './journal.ts';
import { type Entry, isPending } from './journal-lines.ts';
import { isTransient, isUnreachable, type Wait, withRetries } from './retry.ts';
import type { ScanEnd } from './scan.ts';

/** Why a delivery stopped before its end; what is left is in the journal. */
export interface Stopped {
  /** The service was not reached, did not take us in (key, project, scan), or we were told to stop. */
  reason: 'unreachable' | 'not_accepted' | 'aborted';
  /** For people. */
  message: string;
  error?: unknown;
}

export interface DeliveryOptions {
  client: Client;
  /** Pushes under way at the same time. */
  concurrency: number;
  /** Seconds before each further attempt. */
  retryDelays?: readonly number[] | undefined;
  /** Waits between attempts; a timer when undefined. */
  wait?: Wait | undefined;
  /** Ends retries; the client has to end its own requests. */
  signal?: AbortSignal | undefined;
  /** Called after each finding that was delivered or refused. */
  onProgress?: ((entry: Entry) => void) | undefined;
}

/** So many findings in a row that the service fails on are more than bad luck. */
const MAX_FAILURES_IN_A_ROW = 5;

export interface Delivery {
  /** Makes sure that the scan is registered. */
  register(): Promise<Stopped | undefined>;
  /** Pushes what is pending. */
  push(entries?: readonly Entry[]): Promise<Stopped | undefined>;
  /** Tells the service that the scan has ended. */
  end(end: ScanEnd): Promise<Stopped | undefined>;
}

/** Brings a journal's scan to the service, as far as it gets; failures are answers, nothing is thrown. */
export function createDelivery(journal: Journal, options: DeliveryOptions): Delivery {
  const { client, concurrency, retryDelays: delays, wait, signal, onProgress } = options;
  const attempt = <T>(call: () => Promise<T>) => withRetries(call, { delays, wait, signal });

  function stopped(error: unknown): Stopped {
    if (signal?.aborted) return { reason: 'aborted', message: 'it was stopped', error };
    if (isTransient(error)) return { reason: 'unreachable', message: unreachableMessage(error), error };
    const message = error instanceof ServiceError ? describeRefusal(error) : (error as Error).message;
    return { reason: 'not_accepted', message, error };
  }

  let registering: Promise<Stopped | undefined> | undefined;

  /** Reports that come at once wait for one registration. */
  function register(): Promise<Stopped | undefined> {
    if (journal.projectId !== undefined) return Promise.resolve(undefined);
    registering ??= registerNow().finally(() => {
      registering = undefined;
    });
    return registering;
  }

  async function registerNow(): Promise<Stopped | undefined> {
    try {
      const { scan } = journal;
      const projectId = await attempt(() => registerScan(client, scan)).catch((error) => {
        // An earlier attempt went through and its answer was lost.
        if (!isAlreadyThere(error)) throw error;
        return scan.project_id;
      });
      if (projectId !== undefined) {
        journal.registered(scan.scan_id, projectId);
        return undefined;
      }
      // The answer would have told the project's id: it is asked for with another scan.
      const again = { ...scan, scan_id: uuidv7() };
      journal.registered(again.scan_id, await attempt(() => registerScan(client, again)));
      const params = { path: { id: scan.scan_id } };
      const body = { status: 'failed' as const, error_message: `registered again as ${again.scan_id}` };
      // Or it would seem to run for ever; that it does is no reason to stop.
      await attempt(() => client.patch('/agent/scans/{id}', { params, body })).catch(() => {});
      return undefined;
    } catch (error) {
      return stopped(error);
    }
  }

  async function push(
    entries: readonly Entry[] = journal.entries.filter(isPending),
  ): Promise<Stopped | undefined> {
    const failed = await register();
    if (failed) return failed;
    const project_id = journal.projectId as string;
    const { scan_id } = journal.scan;
    let halt: Stopped | undefined;
    let failuresInARow = 0;
    const queue = entries.values();
    const worker = async () => {
      for (const entry of queue) {
        if (halt || signal?.aborted) return;
        try {
          const body = { ...entry.finding, scan_id, project_id };
          const { result } = await attempt(() => client.post('/agent/findings', { body }));
          journal.delivered(entry, {
            id: result.id,
            deduplicated: result.deduplicated,
            status: result.status,
          });
          failuresInARow = 0;
          onProgress?.(entry);
        } catch (error) {
          if (isRefusal(error)) {
            journal.refused(entry, describeRefusal(error));
            onProgress?.(entry);
          } else if (
            isUnreachable(error) ||
            !isTransient(error) ||
            ++failuresInARow >= MAX_FAILURES_IN_A_ROW
          ) {
            halt ??= stopped(error);
          }
        }
      }
    };
    await Promise.all(Array.from({ length: concurrency }, worker));
    return halt ?? (signal?.aborted ? stopped(signal.reason) : undefined);
  }

  async function end(how: ScanEnd): Promise<Stopped | undefined> {
    if (!journal.end) journal.setEnd(how);
    const failed = await register();
    if (failed) return failed;
    const params = { path: { id: journal.scan.scan_id } };
    try {
      await attempt(() => client.patch('/agent/scans/{id}', { params, body: how }));
    } catch (error) {
      // It has ended otherwise, which nobody can change any more.
      if (!(error instanceof ServiceError && error.code === 'conflict')) return stopped(error);
    }
    journal.ended();
    return undefined;
  }

  return { register, push, end };
}

async function registerScan(client: Client, scan: Journal['scan']): Promise<string> {
  const { result } = await client.post('/agent/scans', { body: scan });
  return result.project_id;
}

const isAlreadyThere = (error: unknown) => error instanceof ServiceError && error.code === 'already_exists';

/** The service does not want this finding; others it may take. */
const isRefusal = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && (error.status === 400 || error.status === 413 || error.status === 422);

function describeRefusal({ message, details }: ServiceError): string {
  return [message, ...details.map(({ field, message }) => `${field} ${message}`)].join(' ');
}

function unreachableMessage(error: unknown): string {
  if (error instanceof ServiceError) return `the service answers ${error.status}`;
  const { message, cause } = error as Error & { cause?: Error };
  return `the service cannot be reached (${cause?.message || message})`;
}
