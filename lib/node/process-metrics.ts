import { collectDefaultMetrics, type Registry } from 'prom-client';

/** What Node and the system know of this process: processor, memory, open files, lag of the event loop. */
export function collectProcess(registry: Registry): void {
  collectDefaultMetrics({ register: registry });
}
