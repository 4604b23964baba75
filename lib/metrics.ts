import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { PoolGauges } from '../db/client.ts';

/** Metrics as data. */
export type MetricValues = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** The process's metrics, as SPEC.md names them. */
export interface Metrics {
  requestStarted(): void;
  /** `path` is a route pattern, never a path somebody sent: labels stay bounded. */
  requestEnded(method: string, path: string, status: number, seconds: number): void;
  /** Prometheus text exposition format. */
  render(): Promise<string>;
  /** What this process has counted. */
  read(): Promise<MetricValues>;
  contentType: string;
}

/** Node takes some thirty methods; those nobody is served by share one label. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS']);

/** @param renderAll what is rendered where this process is one of several */
export function createMetrics(pool: () => PoolGauges, renderAll?: () => Promise<string>): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({
    name: 'svc_http_requests_total',
    help: 'HTTP requests answered.',
    labelNames: ['method', 'path', 'status'],
    registers,
  });
  const duration = new Histogram({
    name: 'svc_http_request_duration_seconds',
    help: 'Time from request to response head.',
    labelNames: ['method', 'path'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const active = new Gauge({
    name: 'svc_http_active_requests',
    help: 'HTTP requests being handled.',
    registers,
  });
  const poolGauge = (name: string, help: string, read: (gauges: PoolGauges) => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read(pool()));
      },
    });
  poolGauge('svc_db_pool_open_connections', 'Open database connections.', (gauges) => gauges.open);
  poolGauge(
    'svc_db_pool_in_use',
    'Database connections running a query or transaction.',
    (gauges) => gauges.inUse,
  );
  poolGauge('svc_db_pool_idle', 'Open database connections waiting for work.', (gauges) => gauges.idle);

  return {
    requestStarted: () => active.inc(),
    requestEnded(given, path, status, seconds) {
      active.dec();
      const method = METHODS.has(given) ? given : 'other';
      requests.inc({ method, path, status });
      duration.observe({ method, path }, seconds);
    },
    render: renderAll ?? (() => registry.metrics()),
    read: () => registry.getMetricsAsJSON(),
    contentType: registry.contentType,
  };
}
