import { sqlState } from '../errors.ts';
import { isThere } from './connection.ts';
import type { Slot } from './slot.ts';

/** Knows whether the database answers. */
export interface Watch {
  /** What is said to those who want something while it does not. */
  down(): Error | undefined;
  /** Asks it. @throws what it says, or that it says nothing within `timeoutMs` */
  ping(timeoutMs: number): Promise<void>;
  /** Has something wait for it that should be answered by now: asks it, unless somebody is. */
  suspect(): void;
  close(): void;
}

export interface WatchOptions {
  /** For questions only: those of the pool may all be waiting for something. */
  slot: Slot;
  /** Asks by the pool. */
  askPool(): PromiseLike<unknown>;
  /** When it last answered anybody, by `performance.now()`. */
  answeredAt(): number;
  /** Whether connections lead through a pooler. */
  isPooled(): boolean;
  /** Whether the pool has any that is open. */
  hasConnections(): boolean;
  /** Called when it turns out not to answer: it says what is the matter, or nothing. */
  onDown(error: Error, isSilent: boolean): void;
}

const DOWN = 'DATABASE_DOWN';
/** The code of what a ping throws that was not answered in time. */
export const NO_ANSWER = 'NO_ANSWER';

const ANSWER_MS = 2_000;
const RETRY_MS = 250;
/** Behind a pooler the database is down when it has answered nobody for so long. */
const POOLED_MS = 10_000;
/** Something in between may have forgotten a connection that was silent for longer. */
const FORGOTTEN_MS = 30_000;

export function createWatch(options: WatchOptions): Watch {
  const { slot, askPool, answeredAt, isPooled, hasConnections, onDown } = options;
  let down: Error | undefined;
  let asking: Promise<void> | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let closed = false;
  let silentSince = 0;

  async function askSlot(): Promise<void> {
    if (slot.idle() > FORGOTTEN_MS) slot.close();
    // To be opened is an answer.
    if (slot.isOpen()) await slot.run('select 1');
    else await slot.open();
    slot.rest();
  }

  async function ask(timeoutMs: number): Promise<void> {
    const began = performance.now();
    const left = () => Math.max(0, began + timeoutMs - performance.now());
    // Whoever is answered meanwhile knows better: it is slow.
    const isAnswering = () => answeredAt() > began;
    try {
      await within(timeoutMs, askSlot());
    } catch (error) {
      if (sqlState(error) === NO_ANSWER) {
        slot.kill(error as Error);
        if (silentSince < answeredAt()) silentSince = began;
        // A pooler lets the question wait with all others: that it has no connection to spare is no silence yet.
        if (isPooled() && performance.now() - silentSince < POOLED_MS) throw error;
        if (!isAnswering()) throw goDown(error as Error, !isPooled());
      } else if (!isThere(error) || !hasConnections()) {
        // It may have no connection to spare, or a new password, and still serve those it has.
        await within(left(), askPool()).catch((reason) => {
          if (!isAnswering()) throw goDown(reason, false);
        });
      }
    }
    down = undefined;
  }

  function askOnce(timeoutMs: number): Promise<void> {
    asking ??= ask(timeoutMs).finally(() => {
      asking = undefined;
    });
    return asking;
  }

  /** @returns `cause` */
  function goDown(cause: Error, isSilent: boolean): Error {
    if (closed) return cause;
    clearTimeout(retry);
    retry = setTimeout(() => askOnce(ANSWER_MS).catch(() => {}), RETRY_MS);
    if (down) return cause;
    down = Object.assign(new Error('the database does not answer', { cause }), { code: DOWN });
    onDown(down, isSilent);
    return cause;
  }

  return {
    down: () => down,
    ping: askOnce,
    suspect() {
      askOnce(ANSWER_MS).catch(() => {});
    },
    close() {
      closed = true;
      clearTimeout(retry);
      slot.close();
    },
  };
}

/** So late comes no timer unless this process stood still. */
const STOOD_STILL_MS = 200;

async function within<T>(ms: number, work: PromiseLike<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const wait = (due: number) => {
      timer = setTimeout(() => {
        // The answer may be there and not read, or still come.
        if (performance.now() - due > STOOD_STILL_MS) wait(performance.now() + ms);
        else reject(Object.assign(new Error(`no answer within ${ms} ms`), { code: NO_ANSWER }));
      }, ms);
    };
    wait(performance.now() + ms);
  });
  return await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
