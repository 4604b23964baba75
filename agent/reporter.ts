import { v7 as uuidv7 } from 'uuid';
import { type Client, createClient } from '../lib/client/index.ts';
import { fitToLimits } from '../lib/importers/clean.ts';
import type { Finding } from '../lib/importers/finding.ts';
import { createDelivery, type Stopped } from './delivery.ts';
import { createJournal } from './journal.ts';
import type { Entry } from './journal-lines.ts';
import type { Wait } from './retry.ts';
import { DEFAULT_CONCURRENCY, type Persona, type ScanEnd, type ScanSpec } from './scan.ts';
import { projectReference, readTrustedHosts } from './settings.ts';
import { createFetch } from './transport.ts';
import { requireTrustedHost, type TrustedHosts } from './trust/destination.ts';
import { bindKey } from './trust/keys.ts';
import { openState, type State } from './trust/state.ts';

export interface ReporterOptions {
  /** The service's address, such as `https://acme.example.com`. */
  baseUrl: string;
  /** An API token. */
  apiKey: string;
  /** A project's id or slug. */
  project: string;
  persona: Persona;
  /** The scan's name; made by the service when undefined. */
  name?: string | undefined;
  target?: ScanSpec['target'];
  /** Where `.svc/` is, which keeps what is not delivered yet; the working directory when undefined. */
  workspace?: string | undefined;
  /** Names the organization where the service has no base domain. */
  orgSlug?: string | undefined;
  /** Pushes under way at the same time; 8 when undefined. */
  concurrency?: number | undefined;
  /** Seconds before the second, third … attempt of a push; 1, 2 and 4 when undefined. */
  retryDelays?: readonly number[] | undefined;
  /** Waits between attempts; a timer when undefined. Throws when the signal is aborted. */
  wait?: Wait | undefined;
  /** Called after each finding that was delivered or refused. */
  onProgress?: ((entry: Entry) => void) | undefined;
  /** Called with what the user should know, though it stops nothing. */
  onWarning?: ((message: string) => void) | undefined;
}

/** What a command has resolved already. Otherwise the environment and the user's configuration are read. */
export interface Trust {
  trustedHosts?: TrustedHosts | undefined;
  state?: State;
}

/** Where a scan stands. */
export interface Outcome {
  scanId: string;
  /** The service knows the scan. */
  registered: boolean;
  entries: readonly Entry[];
  /** Found for the first time. */
  fresh: number;
  seenAgain: number;
  /** What the service does not want. */
  refused: number;
  /** Not delivered yet; on disk, for `svc-agent sync`. */
  pending: number;
  /** Why something is pending. */
  stopped: Stopped | undefined;
}

/** One scan: it is registered, its findings are reported, it ends. Whatever cannot be delivered stays on disk. */
export interface Reporter {
  readonly scanId: string;
  /** Registers the scan now; else the first report does. */
  start(): Promise<Outcome>;
  /**
   * Reports a finding, or several at once. Texts are cut to the service's limits.
   * @throws Error once the scan has ended
   */
  report(finding: Finding | readonly Finding[]): Promise<Outcome>;
  /** Ends the scan as completed, unless it has ended already. */
  complete(): Promise<Outcome>;
  /** Ends the scan as failed, unless it has ended already; what was found so far stays. */
  fail(message: string): Promise<Outcome>;
  /** Stops pushing; the scan can still be ended. */
  abort(): void;
}

export interface AgentClientOptions extends Trust {
  baseUrl: string;
  apiKey: string;
  orgSlug?: string | undefined;
  concurrency?: number | undefined;
  /** Ends requests under way. */
  signal?: AbortSignal | undefined;
  onWarning?: ((message: string) => void) | undefined;
}

/** Makes the client an agent uses. @throws UsageError when the service is none of the trusted hosts */
export function createAgentClient(options: AgentClientOptions): Client {
  const { baseUrl, apiKey, orgSlug, concurrency = DEFAULT_CONCURRENCY, signal, onWarning } = options;
  const { state = openState(process.env) } = options;
  const trusted = 'trustedHosts' in options ? options.trustedHosts : readTrustedHosts(process.env);
  requireTrustedHost(baseUrl, 'baseUrl', trusted);
  const client = createClient({
    baseUrl,
    token: apiKey,
    ...(orgSlug !== undefined && { orgSlug }),
    fetch: createFetch(concurrency, signal),
  });
  return onFirstSuccess(client, () => {
    try {
      bindKey(state, apiKey, new URL(baseUrl).origin);
    } catch (error) {
      onWarning?.(
        `The service that the API key belongs to cannot be recorded in ${state.directory} (${(error as Error).message}).`,
      );
    }
  });
}

/** Calls back after the first request that the service has accepted. */
function onFirstSuccess(client: Client, callback: () => void): Client {
  let isFirst = true;
  const watched =
    (call: (...args: never[]) => Promise<unknown>) =>
    async (...args: never[]) => {
      const reply = await call(...args);
      if (isFirst) {
        isFirst = false;
        callback();
      }
      return reply;
    };
  return {
    get: watched(client.get as never) as Client['get'],
    post: watched(client.post as never) as Client['post'],
    patch: watched(client.patch as never) as Client['patch'],
    delete: watched(client.delete as never) as Client['delete'],
  };
}

/** Starts a scan; nothing is sent before `start` or the first `report`. */
export function createReporter(options: ReporterOptions & Trust): Reporter {
  const { workspace = process.cwd(), persona, name, target } = options;
  const scan: ScanSpec = {
    scan_id: uuidv7(),
    ...projectReference(options.project),
    persona,
    name,
    target: target ?? {},
  };
  const { concurrency = DEFAULT_CONCURRENCY, retryDelays, wait, onProgress, onWarning = () => {} } = options;
  const { state = openState(process.env) } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  // Made before the journal: settings that cannot work leave nothing behind.
  const client = createAgentClient({ ...options, state, concurrency, signal });
  const lastClient = createAgentClient({ ...options, state, concurrency });
  const journal = createJournal(workspace, scan, state, onWarning);
  const delivery = createDelivery(journal, { client, concurrency, retryDelays, wait, signal, onProgress });
  /** For the end: the service was away, or we are to stop; nobody waits for long. */
  const lastDelivery = createDelivery(journal, {
    client: lastClient,
    concurrency,
    retryDelays: [],
    onProgress,
  });
  let stopped: Stopped | undefined;
  let stoppedAt = 0;
  let ending: Promise<Outcome> | undefined;
  const reports = new Set<Promise<unknown>>();

  const outcome = (): Outcome => {
    const { entries, counts } = journal;
    const { fresh, seenAgain, refused } = counts;
    return {
      scanId: journal.scan.scan_id,
      registered: journal.projectId !== undefined,
      entries,
      fresh,
      seenAgain,
      refused,
      pending: entries.length - fresh - seenAgain - refused,
      stopped,
    };
  };

  async function push(entries: readonly Entry[]): Promise<void> {
    // Once it has stopped the rest is for later; a service that was away may be back after a while.
    if (stopped && !(stopped.reason === 'unreachable' && Date.now() - stoppedAt > PAUSE_MS)) return;
    const now = await delivery.push(entries);
    if (now) {
      stopped = now;
      stoppedAt = Date.now();
    } else if (stopped?.reason === 'unreachable') stopped = undefined;
  }

  /** A scan ends once: who says first how it did is right. */
  function end(how: ScanEnd): Promise<Outcome> {
    ending ??= endNow(how);
    return ending;
  }

  async function endNow(how: ScanEnd): Promise<Outcome> {
    journal.setEnd(how);
    await Promise.allSettled(reports);
    if (signal.aborted) stopped = (await lastDelivery.end(how)) ?? stopped;
    else if (stopped?.reason !== 'not_accepted') {
      const last = stopped ? lastDelivery : delivery;
      stopped = (await last.push()) ?? (await last.end(how));
    }
    journal.close();
    return outcome();
  }

  return {
    get scanId() {
      return journal.scan.scan_id;
    },
    async start() {
      // Whatever becomes of it, the first report tries again.
      await delivery.register();
      return outcome();
    },
    async report(findings) {
      if (ending) throw new Error('The scan has ended.');
      const added = journal.add([findings].flat().map((finding) => fitToLimits(finding as Finding)));
      const pushing = push(added);
      reports.add(pushing);
      await pushing.finally(() => reports.delete(pushing));
      return outcome();
    },
    complete: () => end({ status: 'completed' }),
    fail: (message) => end({ status: 'failed', error_message: message }),
    abort: () => stopping.abort(),
  };
}

const PAUSE_MS = 30_000;
