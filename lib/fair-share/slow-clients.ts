import type { AcquireRequest, Release, Sharer } from '../../db/pool/semaphore.ts';
import { LONG_MS } from './gate.ts';
import type { Permits } from './permits.ts';

/** A client that sends a body or reads a list while it holds units of a semaphore. */
export interface Client {
  /** The part of what it must have transferred by now that it has; below 1, it is slow. @param heldMs since it holds the units */
  progress(heldMs: number): number;
  /** Aborts its request, which then releases the units. */
  breakOff(): void;
}

const CHECK_MS = LONG_MS / 4;

/**
 * Adds clients to a semaphore: while a request has waited for long, the slowest client that keeps units from it is aborted, one in
 * each check. Otherwise a few clients that transfer a byte per second could keep everybody else waiting.
 */
export function withClients(permits: Permits) {
  const holders = new Map<Client, { sharer: Sharer | undefined; since: number }>();
  let timer: ReturnType<typeof setInterval> | undefined;

  function abortSlowest(): void {
    let slowest: { client: Client; progress: number } | undefined;
    for (const [client, { sharer, since }] of holders) {
      const progress = client.progress(performance.now() - since);
      if (progress < (slowest?.progress ?? 1) && permits.isBlocking({ sharer }, LONG_MS))
        slowest = { client, progress };
    }
    if (!slowest) return;
    // Removed now, so that it is aborted once: its units are released later.
    holders.delete(slowest.client);
    slowest.client.breakOff();
  }

  /** As the semaphore does it. @param client of the request, from the moment it holds the units until it releases some */
  async function acquire(request: AcquireRequest, client: Client | undefined): Promise<Release> {
    let release = permits.tryAcquire(request);
    if (!release) {
      timer ??= setInterval(abortSlowest, CHECK_MS);
      release = await permits.acquire(request).finally(() => {
        if (permits.waiting() > 0) return;
        clearInterval(timer);
        timer = undefined;
      });
    }
    if (!client) return release;
    const held = release;
    holders.set(client, { sharer: request.sharer, since: performance.now() });
    return (rest) => {
      holders.delete(client);
      held(rest);
    };
  }

  return acquire;
}
