import { busy, noRefusals } from '../accounts/passwords/hash-queue.ts';
import type { HashLoad } from '../metrics/reports.ts';
import { networkOf } from '../network.ts';

export interface HashSlots {
  /**
   * Reserves a slot and resolves when it begins. The caller must then hash without another `await`.
   * @param address of the client; an IPv6 /48 counts as one client
   * @throws ApiError `server_error/unavailable` when no slot is free within `maxWaitMs`
   */
  enter(address: string): Promise<void>;
  /** Throws the error that `enter` would throw now. */
  requireRoom(address: string): void;
  load(): HashLoad;
}

export interface HashSlotsOptions {
  /** Length of a slot. One hash runs at its start; other requests run in the rest. */
  slotMs: number;
  maxWaitMs: number;
}

/**
 * Spreads the hashes of an isolate over time slots. A queue is not possible: workerd does not let a request wait for another,
 * and a cancelled request is not reported. Each request reserves a slot, which stays unused if the request is cancelled. A
 * client gets at most every second slot, so that others do not wait long.
 */
export function createHashSlots({ slotMs, maxWaitMs }: HashSlotsOptions): HashSlots {
  const reserved = new Set<number>();
  const lastOf = new Map<string, number>();
  const refused = noRefusals();

  const current = () => Math.floor(Date.now() / slotMs);

  function find(client: string): { slot: number; waitMs: number } {
    const now = current();
    for (const slot of reserved) if (slot < now) reserved.delete(slot);
    for (const [known, slot] of lastOf) if (slot < now) lastOf.delete(known);
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
      const client = networkOf(address, 48);
      const { slot, waitMs } = find(client);
      reserved.add(slot);
      lastOf.set(client, slot);
      if (waitMs > 0) await new Promise<void>((resolve) => setTimeout(resolve, waitMs));
    },
    requireRoom: (address) => void find(networkOf(address, 48)),
    load() {
      const now = current();
      const waiting = [...reserved].filter((slot) => slot > now).length;
      return { waiting, refused: { ...refused } };
    },
  };
}
