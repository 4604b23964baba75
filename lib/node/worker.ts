import type { Socket } from 'node:net';
import type { MetricValues } from '../metrics/metrics.ts';

/** What the primary tells a worker. */
export type ToWorker =
  | { type: 'connection' }
  | { type: 'stop'; timeoutMs: number }
  | { type: 'report'; round: number }
  | { type: 'metrics'; id: number; text: string };

/** What a worker tells the primary. */
export type ToPrimary =
  | { type: 'ready' }
  | { type: 'taken' }
  | { type: 'failed'; reason: string }
  | { type: 'report'; round: number; values: MetricValues }
  | { type: 'metrics'; id: number };

/** The process that has started this one as a worker. */
export interface Primary {
  /** Resolves when it says that this process is to stop, with the milliseconds after which it kills it. */
  stopped: Promise<number>;
  /** Metrics of all workers, as text. */
  metrics(): Promise<string>;
  /** Tells it that this process serves, and how. */
  ready(worker: Serving): void;
  /** Tells it why this process does not start. */
  failed(reason: string): Promise<void>;
}

export interface Serving {
  /** Serves a connection that the primary has accepted. */
  take(connection: Socket): void;
  /** What this process has counted. */
  readMetrics(): Promise<MetricValues>;
}

/** A worker's side of the channel. Without a primary this process ends at once. */
export function connectPrimary(): Primary {
  const waiting = new Map<number, (text: string) => void>();
  let asked = 0;
  let serving: Serving | undefined;
  const tell = (message: ToPrimary) =>
    // An error means that the channel is closed, and this process about to end.
    new Promise<void>((resolve) => process.send?.(message, () => resolve()));

  let stop = (_timeoutMs: number) => {};
  const stopped = new Promise<number>((resolve) => {
    stop = resolve;
  });
  process.once('disconnect', () => process.exit(1));
  process.on('message', (message: ToWorker, connection?: Socket) => {
    if (message.type === 'stop') stop(message.timeoutMs);
    if (message.type === 'report') void report(message.round);
    if (message.type === 'connection') {
      // First: what is not taken is given to somebody else.
      void tell({ type: 'taken' });
      if (connection) serving?.take(connection);
    }
    if (message.type === 'metrics') {
      waiting.get(message.id)?.(message.text);
      waiting.delete(message.id);
    }
  });
  async function report(round: number): Promise<void> {
    await tell({ type: 'report', round, values: (await serving?.readMetrics()) ?? [] });
  }
  return {
    stopped,
    metrics() {
      const id = ++asked;
      void tell({ type: 'metrics', id });
      return new Promise((resolve) => waiting.set(id, resolve));
    },
    ready(worker) {
      serving = worker;
      void tell({ type: 'ready' });
    },
    failed: (reason) => tell({ type: 'failed', reason }),
  };
}
