import { AggregatorRegistry } from 'prom-client';
import type { MetricValues } from './metrics.ts';

/** The metrics of several processes as one. */
export interface MetricsSum<Process> {
  /** Takes what a process has counted so far. */
  update(process: Process, values: MetricValues): void;
  /** The process has ended: its gauges are gone, its counters stay. */
  ended(process: Process): void;
  /** Prometheus text exposition format. */
  render(): Promise<string>;
}

/**
 * Sums what each process has said last. A counter that went down would be a restart to Prometheus, and all that the
 * other processes have ever counted an increase; so nothing that was once in the sum leaves it.
 */
export function createMetricsSum<Process>(): MetricsSum<Process> {
  const last = new Map<Process, MetricValues>();
  let past: Promise<MetricValues> = Promise.resolve([]);
  return {
    update(process, values) {
      last.set(process, values);
    },
    ended(process) {
      const counters = (last.get(process) ?? []).filter(({ type }) => `${type}` !== 'gauge');
      last.delete(process);
      past = past.then((values) => sum([values, counters]).getMetricsAsJSON());
    },
    render: async () => sum([await past, ...last.values()]).metrics(),
  };
}

const sum = (parts: MetricValues[]) => AggregatorRegistry.aggregate(parts);
