import { setTimeout as sleep } from 'node:timers/promises';
import { type ClusterContext, type JoinedServer, joinOrStart } from './share.ts';

/** Keeps a server running. */
export interface Supervisor {
  /** Runs a statement on the session's connection. Rejects while the server is lost. */
  run(statement: string): Promise<unknown>;
  /** Waits for the supervision to end after the context's signal. @returns the server, unless it is lost */
  end(): Promise<JoinedServer | undefined>;
}

const FIRST_DELAY_MS = 100;
/** Short, so that the server returns soon after the cause, such as a full disk, is fixed. */
const LAST_DELAY_MS = 2_000;
/** The backoff starts over for a server that was up for this time. */
const STEADY_MS = 10_000;

/**
 * Joins the server again when the connection to it is lost. After a crash of a backend, PostgreSQL restarts itself. If the
 * postmaster is dead, this starts a new server on the same port, so that connection pools find it.
 */
export function supervise(context: ClusterContext, first: JoinedServer): Supervisor {
  const { log, signal } = context;
  let server: JoinedServer | undefined;
  let resuming: Promise<void> | undefined;
  let attempts = 0;

  function watch(joined: JoinedServer): void {
    server = joined;
    const since = Date.now();
    joined.session.onLost(() => {
      if (signal.aborted) return;
      if (Date.now() - since >= STEADY_MS) attempts = 0;
      server = undefined;
      resuming = resume(joined);
    });
  }

  async function resume(lost: JoinedServer): Promise<void> {
    const began = Date.now();
    await lost.session.end().catch(() => {});
    log.warn('database server lost', { pid: lost.lock.pid });
    let reason = '';
    for (; !signal.aborted; attempts++) {
      if (attempts > 0) await pause(Math.min(FIRST_DELAY_MS * 2 ** (attempts - 1), LAST_DELAY_MS));
      try {
        const joined = await joinOrStart(context);
        log.info('database server is back', { pid: joined.lock.pid, ms: Date.now() - began });
        attempts++;
        return watch(joined);
      } catch (error) {
        const { message } = error as Error;
        if (message !== reason && !signal.aborted) log.warn('database server not back', { reason: message });
        reason = message;
      }
    }
  }

  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => {});

  watch(first);
  return {
    async run(statement) {
      if (!server) throw new Error('the database server is lost');
      await server.session.run(statement);
    },
    async end() {
      await resuming;
      return server;
    },
  };
}
