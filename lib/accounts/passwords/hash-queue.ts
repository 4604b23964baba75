import { ApiError } from '../../errors.ts';
import type { HashLoad, HashRefusal } from '../../metrics/reports.ts';
import { networkOf } from '../../network.ts';

export interface HashQueueOptions {
  /** Hashes that run at a time. Each takes 19 MiB and a processor. */
  concurrency: number;
  /** Waiting requests of all clients. */
  maxWaiting: number;
  maxWaitMs: number;
}

/**
 * Limits the passwords that are hashed at a time and the requests that wait. Clients are served round-robin, so that one with
 * many requests delays only its own.
 */
export interface HashQueue {
  /**
   * Calls `work` when the client's request reaches the head of the queue.
   * @param address of the client; an IPv6 network of 64 bits counts as one client
   * @throws ApiError `server_error/unavailable` when the queue is full or the request waits longer than `maxWaitMs`
   */
  run<T>(address: string, work: () => Promise<T>): Promise<T>;
  /** Throws the error that `run` would throw now because the queue is full. */
  requireRoom(address: string): void;
  load(): HashLoad;
}

interface Waiting {
  start(): void;
  refuse(reason: HashRefusal): void;
}

export function createHashQueue({ concurrency, maxWaiting, maxWaitMs }: HashQueueOptions): HashQueue {
  /** Waiting requests by client, oldest first. The first client is served next. */
  const clients = new Map<string, Waiting[]>();
  const refused = noRefusals();
  let running = 0;
  let waiting = 0;

  /** The newest request of the client with the most requests, if `client` would have fewer. It can be refused instead. */
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

  function waitInQueue(client: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timeout);
        waiting--;
        const others = clients.get(client)?.filter((request) => request !== self) ?? [];
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
      const timeout = setTimeout(() => self.refuse('late'), maxWaitMs);
      timeout.unref?.();
      waiting++;
      clients.set(client, [...(clients.get(client) ?? []), self]);
    });
  }

  function startNext(): void {
    const [first] = clients;
    if (!first) {
      running--;
      return;
    }
    const [client, [oldest]] = first;
    oldest?.start();
    // Round-robin: the client moves to the end.
    const others = clients.get(client);
    clients.delete(client);
    if (others) clients.set(client, others);
  }

  return {
    async run(address, work) {
      const client = networkOf(address);
      requireRoom(client)?.refuse('full');
      if (running < concurrency) running++;
      else await waitInQueue(client);
      try {
        return await work();
      } finally {
        startNext();
      }
    },
    requireRoom: (address) => void requireRoom(networkOf(address)),
    load: () => ({ waiting, refused: { ...refused } }),
  };
}

export const noRefusals = (): HashLoad['refused'] => ({ full: 0, late: 0 });

/** The error of a request whose password cannot be hashed now. */
export const busy = () =>
  new ApiError('server_error/unavailable', {
    message: 'Too many passwords are being checked at the moment. Try again in a few seconds.',
  });
