import { collectDefaultMetrics, type Registry } from 'prom-client';

/** Collects metrics of this process from Node and the system: processor, memory, open files, lag of the event loop. */
export function collectProcess(registry: Registry): void {
  collectDefaultMetrics({ register: registry });
}
