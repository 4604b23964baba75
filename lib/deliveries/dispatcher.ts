/** Works on items that are due, such as mails, and that several processes share by leases. */
export interface Dispatcher {
  /** Works until nothing is due. A further call makes the work in progress look again. Never rejects. */
  dispatch(): Promise<void>;
  /** Takes no more items, and waits a few seconds for those in progress. @param abort ends these then */
  stop(abort: () => void): Promise<void>;
}

export interface DispatcherOptions<Item> {
  /** Items that a process works on at the same time. */
  slots: number;
  /** Leases due items. Never rejects. */
  take(limit: number): Promise<Item[]>;
  /** Works on an item. Never rejects. */
  work(item: Item): Promise<void>;
  /** Extends the leases of items that are worked on. Never rejects. */
  renew(items: readonly Item[]): Promise<void>;
  /** Timeout of `stop`. */
  stopMs?: number | undefined;
}

/** Delay before due items are taken, so that under load one statement takes several. */
const GATHER_MS = 20;
const RENEW_MS = 2_000;
/** A lease lasts so long unless it is renewed: work of a process that dies goes on afterwards. */
export const LEASE_MS = 5_000;
const STOP_MS = 3_000;
const FIRST_RETRY_MS = 30_000;
const LAST_RETRY_MS = 60 * 60_000;

/** 30 seconds, doubled with every attempt up to an hour, minus a random quarter that spreads the retries. */
export const backoff = (attempts: number): number =>
  Math.min(FIRST_RETRY_MS * 2 ** (attempts - 1), LAST_RETRY_MS) * (1 - Math.random() / 4);

export function createDispatcher<Item>(options: DispatcherOptions<Item>): Dispatcher {
  const { slots, take, work, renew, stopMs = STOP_MS } = options;
  let running: Promise<void> | undefined;
  /** Whether `run` has to look for due items. */
  let isDue = false;
  /** Makes `run` read `isDue` while it waits for items in progress. */
  let wake = () => {};
  let stopped = false;

  async function run(): Promise<void> {
    const inProgress = new Map<Item, Promise<void>>();
    const renewal = setInterval(() => {
      if (inProgress.size > 0) void renew([...inProgress.keys()]);
    }, RENEW_MS);
    try {
      for (;;) {
        const free = slots - inProgress.size;
        if (isDue && free > 0 && !stopped) {
          await new Promise((resolve) => setTimeout(resolve, GATHER_MS));
          if (stopped) continue;
          isDue = false;
          const items = await take(free);
          if (items.length === free) isDue = true;
          for (const item of items)
            inProgress.set(
              item,
              work(item).finally(() => inProgress.delete(item)),
            );
        } else if (inProgress.size > 0) {
          const woken = new Promise<void>((resolve) => {
            wake = resolve;
          });
          await Promise.race([...inProgress.values(), woken]);
        } else {
          return;
        }
      }
    } finally {
      clearInterval(renewal);
      // Runs without an `await` after the decision to return, so that no request to look again is lost.
      running = undefined;
    }
  }

  return {
    dispatch() {
      if (stopped) return running ?? Promise.resolve();
      isDue = true;
      wake();
      running ??= run();
      return running;
    },
    async stop(abort) {
      stopped = true;
      if (!running || (await settles(running, stopMs))) return;
      abort();
      await settles(running, 1_000);
    },
  };
}

/** Whether a promise resolves within `ms`. */
export async function settles(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  const settled = promise.then(() => true);
  return Promise.race([settled, timeout]).finally(() => clearTimeout(timer));
}
