import { ApiError } from '../../http/errors.ts';
import { networkOf } from '../../http/network.ts';

/** What the hasher has to do, and what it has refused since the process started. */
export interface HashLoad {
  /** Requests that wait for their turn. */
  waiting: number;
  /** `full`: the queue had no room. `late`: the turn did not come in time. */
  refused: Record<HashRefusal, number>;
}

export const HASH_REFUSALS = ['full', 'late'] as const;
export type HashRefusal = (typeof HASH_REFUSALS)[number];

export interface HashQueueOptions {
  /** Hashes that run at once. Each takes 19 MiB and a processor. */
  concurrency: number;
  /** Requests that may wait, of all clients together. */
  maxWaiting: number;
  maxWaitMs: number;
}

/**
 * Bounds how many passwords are hashed at once, and how many requests wait for that. Clients take turns, so a client
 * that sends many requests delays its own.
 */
export interface HashQueue {
  /**
   * Calls `work` when it is the client's turn.
   * @param address of the client; an IPv6 network of 64 bits counts as one client
   * @throws ApiError `server_error/unavailable` when the queue is full or the turn does not come in time
   */
  run<T>(address: string, work: () => Promise<T>): Promise<T>;
  /** Throws what `run` would throw now because the queue is full. */
  requireRoom(address: string): void;
  load(): HashLoad;
}

interface Waiting {
  start(): void;
  refuse(reason: HashRefusal): void;
}

export function createHashQueue({ concurrency, maxWaiting, maxWaitMs }: HashQueueOptions): HashQueue {
  /** Waiting requests by client, oldest first; the clients in the order of their turns. */
  const clients = new Map<string, Waiting[]>();
  const refused = noRefusals();
  let running = 0;
  let waiting = 0;

  /** The newest request of the client with the most requests, if that is more than `client` would have. */
  function displaceable(client: string): Waiting | undefined {
    let longest: Waiting[] = [];
    for (const queue of clients.values()) if (queue.length > longest.length) longest = queue;
    const own = clients.get(client)?.length ?? 0;
    return longest.length > own + 1 ? longest.at(-1) : undefined;
  }

  function requireRoom(client: string): Waiting | undefined {
    if (running < concurrency || waiting < maxWaiting) return undefined;
    const last = displaceable(client);
    if (last) return last;
    refused.full++;
    throw busy();
  }

  function turnOf(client: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(late);
        waiting--;
        const others = clients.get(client)?.filter((one) => one !== self) ?? [];
        if (others.length > 0) clients.set(client, others);
        else clients.delete(client);
      };
      const self: Waiting = {
        start() {
          leave();
          resolve();
        },
        refuse(reason) {
          leave();
          refused[reason]++;
          reject(busy());
        },
      };
      const late = setTimeout(() => self.refuse('late'), maxWaitMs);
      late.unref?.();
      waiting++;
      clients.set(client, [...(clients.get(client) ?? []), self]);
    });
  }

  function next(): void {
    const [first] = clients;
    if (!first) {
      running--;
      return;
    }
    const [client, [oldest]] = first;
    oldest?.start();
    // The others come first now.
    const others = clients.get(client);
    clients.delete(client);
    if (others) clients.set(client, others);
  }

  return {
    async run(address, work) {
      const client = networkOf(address);
      requireRoom(client)?.refuse('full');
      if (running < concurrency) running++;
      else await turnOf(client);
      try {
        return await work();
      } finally {
        next();
      }
    },
    requireRoom: (address) => void requireRoom(networkOf(address)),
    load: () => ({ waiting, refused: { ...refused } }),
  };
}

export const noRefusals = (): HashLoad['refused'] => ({ full: 0, late: 0 });

/** The answer to a request whose password cannot be checked now. */
export const busy = () =>
  new ApiError('server_error/unavailable', {
    message: 'Too many passwords are being checked at the moment. Try again in a few seconds.',
  });
