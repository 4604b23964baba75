import { sqlState } from '../errors.ts';
import type { DatabaseState } from './connection.ts';

/** Checks whether the database answers. While it does not, the circuit breaker is open. */
export interface HealthCheck {
  /** The error for new queries while the circuit breaker is open. */
  failure(): Error | undefined;
  /** Checks now, or joins the check that is running. @throws the database's error, or NO_ANSWER after `timeoutMs` */
  check(timeoutMs?: number): Promise<void>;
  close(): void;
}

export interface HealthCheckOptions {
  /** Asks through a connection that is used for nothing else: those of the pool may all be waiting. */
  probe(): Promise<unknown>;
  /** Breaks the connection of the probe off. */
  abortProbe(error: Error): void;
  /** Asks through the pool. */
  probePool(): Promise<unknown>;
  /** Whether PostgreSQL rejected the probe, and serves the open connections of the pool. */
  isServing(error: unknown): boolean;
  database: Readonly<DatabaseState>;
  /** The circuit breaker opens. @param isSilent no answer at all, rather than an error */
  onOpen(error: Error, isSilent: boolean): void;
}

/** Code of a check that was not answered. */
export const NO_ANSWER = 'NO_ANSWER';

const CHECK_TIMEOUT_MS = 2_000;
const RETRY_MS = 250;
/** A busy pooler delays the probe like all queries: the database is down when nothing was answered for so long. */
const POOLER_TIMEOUT_MS = 10_000;

export function createHealthCheck(options: HealthCheckOptions): HealthCheck {
  const { probe, abortProbe, probePool, isServing, database, onOpen } = options;
  let failure: Error | undefined;
  let running: Promise<void> | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;
  let silentSince = 0;

  async function runCheck(timeoutMs: number): Promise<void> {
    const began = performance.now();
    // A database that answers other queries is slow, not down.
    const open = (error: Error, isSilent: boolean) => {
      if (database.answeredAt > began) return;
      openBreaker(error, isSilent);
      throw error;
    };
    try {
      await within(timeoutMs, probe());
    } catch (error) {
      if (sqlState(error) === NO_ANSWER) {
        abortProbe(error as Error);
        if (silentSince < database.answeredAt) silentSince = began;
        if (database.isPooled && performance.now() - silentSince < POOLER_TIMEOUT_MS) throw error;
        open(error as Error, !database.isPooled);
      } else if (!isServing(error)) {
        const left = Math.max(0, began + timeoutMs - performance.now());
        await within(left, probePool()).catch((reason) => open(reason, false));
      }
    }
    failure = undefined;
  }

  function openBreaker(cause: Error, isSilent: boolean): void {
    if (isClosed) return;
    clearTimeout(retry);
    retry = setTimeout(() => check().catch(() => {}), RETRY_MS);
    if (failure) return;
    failure = Object.assign(new Error('the database does not answer', { cause }), { code: 'DATABASE_DOWN' });
    onOpen(failure, isSilent);
  }

  function check(timeoutMs = CHECK_TIMEOUT_MS): Promise<void> {
    running ??= runCheck(timeoutMs).finally(() => {
      running = undefined;
    });
    return running;
  }

  return {
    failure: () => failure,
    check,
    close() {
      isClosed = true;
      clearTimeout(retry);
    },
  };
}

/** A timer that is later than this was delayed, because the process stood still. */
const LATE_MS = 200;

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_, reject) => {
    const wait = (due: number) => {
      timer = setTimeout(() => {
        // The answer may have arrived meanwhile.
        if (performance.now() - due > LATE_MS) wait(performance.now() + ms);
        else reject(Object.assign(new Error(`no answer within ${ms} ms`), { code: NO_ANSWER }));
      }, ms);
    };
    wait(performance.now() + ms);
  });
  return await Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}
