import { busy, type HashLoad, noRefusals } from '../accounts/passwords/hash-queue.ts';
import { networkOf } from '../http/network.ts';

export interface HashSlots {
  /**
   * Reserves a slot and resolves when it begins. The caller then hashes without waiting for anything else.
   * @param address of the client; an IPv6 network of 64 bits counts as one client
   * @throws ApiError `server_error/unavailable` when there is no slot soon
   */
  enter(address: string): Promise<void>;
  /** Throws what `enter` would throw now. */
  requireRoom(address: string): void;
  load(): HashLoad;
}

export interface HashSlotsOptions {
  /** One hash begins in each; the rest of it is for other requests. */
  slotMs: number;
  maxWaitMs: number;
}

/**
 * Spreads the hashes of an isolate over time. workerd allows no request to wait for another one, and a request that was
 * cancelled never says so; therefore nothing is handed over: each request has a time of its own, which is lost when it
 * is not used. A client gets every second slot at most, so that others find one soon.
 */
export function createHashSlots({ slotMs, maxWaitMs }: HashSlotsOptions): HashSlots {
  const reserved = new Set<number>();
  const lastOf = new Map<string, number>();
  const refused = noRefusals();

  const current = () => Math.floor(Date.now() / slotMs);

  function find(client: string): { slot: number; waitMs: number } {
    const now = current();
    for (const slot of reserved) if (slot < now) reserved.delete(slot);
    for (const [one, slot] of lastOf) if (slot < now) lastOf.delete(one);
    const last = lastOf.get(client) ?? now;
    let slot = last > now ? last + 2 : now;
    while (reserved.has(slot)) slot++;
    const waitMs = slot * slotMs - Date.now();
    if (waitMs > maxWaitMs) {
      refused.full++;
      throw busy();
    }
    return { slot, waitMs };
  }

  return {
    async enter(address) {
      const client = networkOf(address);
      const { slot, waitMs } = find(client);
      reserved.add(slot);
      lastOf.set(client, slot);
      if (waitMs > 0) await new Promise<void>((resolve) => setTimeout(resolve, waitMs));
    },
    requireRoom: (address) => void find(networkOf(address)),
    load() {
      const now = current();
      const waiting = [...reserved].filter((slot) => slot > now).length;
      return { waiting, refused: { ...refused } };
    },
  };
}
