import { setTimeout as sleep } from 'node:timers/promises';
import { joinOrStart, type Share, type Site } from './share.ts';

/** Keeps a server up. */
export interface Supervisor {
  /** Runs a statement on the connection that holds the share; rejects while there is none. */
  run(statement: string): Promise<unknown>;
  /** Ends, with the signal of the site; @returns the share this process has, if any */
  end(): Promise<Share | undefined>;
}

const FIRST_DELAY_MS = 100;
/** When the cause is gone, such as a full disk, nobody wants to wait for the next attempt. */
const LAST_DELAY_MS = 2_000;
/** One that was up for so long is restarted like the first that ended. */
const STEADY_MS = 10_000;

/**
 * Whenever the share is lost, gets it back: from a server that restarts by itself after one of its processes crashed,
 * or from one that is started anew because its postmaster is dead. Connection pools find it where it was.
 */
export function supervise(site: Site, first: Share): Supervisor {
  const { log, signal } = site;
  let share: Share | undefined;
  let resuming: Promise<void> | undefined;
  let attempts = 0;

  function hold(next: Share): void {
    share = next;
    const since = Date.now();
    next.session.onLost(() => {
      if (signal.aborted) return;
      if (Date.now() - since >= STEADY_MS) attempts = 0;
      share = undefined;
      resuming = resume(next);
    });
  }

  async function resume(lost: Share): Promise<void> {
    const began = Date.now();
    await lost.session.end().catch(() => {});
    log.warn('database server lost', { pid: lost.lock.pid });
    let reason = '';
    for (; !signal.aborted; attempts++) {
      // The first attempt comes at once.
      if (attempts > 0) await pause(Math.min(FIRST_DELAY_MS * 2 ** (attempts - 1), LAST_DELAY_MS));
      try {
        const next = await joinOrStart(site);
        log.info('database server is back', { pid: next.lock.pid, ms: Date.now() - began });
        attempts++;
        return hold(next);
      } catch (error) {
        const { message } = error as Error;
        if (message !== reason && !signal.aborted) log.warn('database server not back', { reason: message });
        reason = message;
      }
    }
  }

  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => {});

  hold(first);
  return {
    async run(statement) {
      if (!share) throw new Error('the database server is lost');
      await share.session.run(statement);
    },
    async end() {
      await resuming;
      return share;
    },
  };
}
