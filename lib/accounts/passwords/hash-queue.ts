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
 * Limits the passwords that are hashed at a time and the requests that wait. Networks are served round-robin, and so are the clients
 * of one, so that a client with many requests or addresses delays only its own.
 */
export interface HashQueue {
  /**
   * Calls `work` when the client's request reaches the head of the queue.
   * @param address of the client: an IPv4 address, or of IPv6 a /64 in the network of a /48
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

/** The waiting requests of a client, oldest first. */
interface Line {
  /** The widest network that one customer of a provider has. */
  network: string;
  requests: Waiting[];
}

export function createHashQueue({ concurrency, maxWaiting, maxWaitMs }: HashQueueOptions): HashQueue {
  /** The first client is served next. */
  const clients = new Map<string, Line>();
  const refused = noRefusals();
  let running = 0;
  let waiting = 0;

  /**
   * The newest request of the client with the most requests in the network with the most, if this client's network would have fewer;
   * or in its own network, if this client would have fewer. It can be refused instead.
   */
  function displaceable(address: string): Waiting | undefined {
    const own = networkOf(address, 48);
    const sizes = new Map<string, number>();
    for (const { network, requests } of clients.values())
      sizes.set(network, (sizes.get(network) ?? 0) + requests.length);
    const [largest = own, size = 0] = [...sizes].reduce((a, b) => (b[1] > a[1] ? b : a), [own, 0]);
    if (size > (sizes.get(own) ?? 0) + 1) return longestIn(largest).at(-1);
    const longest = longestIn(own);
    const count = clients.get(networkOf(address))?.requests.length ?? 0;
    return longest.length > count + 1 ? longest.at(-1) : undefined;
  }

  const longestIn = (network: string): Waiting[] =>
    [...clients.values()]
      .filter((line) => line.network === network)
      .map(({ requests }) => requests)
      .reduce((a, b) => (b.length >= a.length ? b : a), []);

  function requireRoom(address: string): Waiting | undefined {
    if (running < concurrency || waiting < maxWaiting) return undefined;
    const last = displaceable(address);
    if (last) return last;
    refused.full++;
    throw busy();
  }

  function waitInQueue(address: string): Promise<void> {
    const client = networkOf(address);
    const line = clients.get(client) ?? { network: networkOf(address, 48), requests: [] };
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timeout);
        waiting--;
        line.requests.splice(line.requests.indexOf(self), 1);
        if (line.requests.length === 0) clients.delete(client);
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
      line.requests.push(self);
      clients.set(client, line);
    });
  }

  function startNext(): void {
    const [first] = clients;
    if (!first) {
      running--;
      return;
    }
    const [served, { network, requests }] = first;
    requests[0]?.start();
    // Round-robin: the clients of the network move to the end, the served one last.
    const others = [...clients].filter(([client, line]) => line.network === network && client !== served);
    const all = requests.length > 0 ? [...others, first] : others;
    for (const [client, line] of all) {
      clients.delete(client);
      clients.set(client, line);
    }
  }

  return {
    async run(address, work) {
      requireRoom(address)?.refuse('full');
      if (running < concurrency) running++;
      else await waitInQueue(address);
      try {
        return await work();
      } finally {
        startNext();
      }
    },
    requireRoom: (address) => void requireRoom(address),
    load: () => ({ waiting, refused: { ...refused } }),
  };
}

export const noRefusals = (): HashLoad['refused'] => ({ full: 0, late: 0 });

/** The error of a request whose password cannot be hashed now. */
export const busy = () =>
  new ApiError('server_error/unavailable', {
    message: 'Too many passwords are being checked at the moment. Try again in a few seconds.',
  });
