import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { PoolGauges } from '../../db/client.ts';
import type { ReplicaState } from '../../db/replica/monitor.ts';
import { READ_ROUTES, type ReadRoute } from '../../db/replica/reads.ts';
import { VERSION } from '../config/version.ts';
import { ERRORS, type ErrorKey } from '../errors.ts';
import {
  type Backlog,
  BUDGET_REFUSALS,
  type BudgetLoad,
  DELIVERY_OUTCOMES,
  type DeliveryOutcome,
  HASH_REFUSALS,
  type HashLoad,
  MAIL_OUTCOMES,
  type MailOutcome,
  STORAGE_LIMITS,
  type StorageLimit,
  WORK_KINDS,
  type WorkKind,
} from './reports.ts';

const WORK_OUTCOMES = ['at once', 'waited', 'refused'] as const;

/** The metrics of the process (docs/operations.md). */
export interface Metrics {
  requestStarted(): void;
  /** `path` is a route pattern, not the path of the request, so that the label has few values. */
  requestEnded(method: string, path: string, status: number, seconds: number): void;
  /** A request was answered with this error. Counts errors of authentication and rate limits. */
  refused(error: ErrorKey): void;
  /** A statement writes this number of pushed findings. */
  batchWritten(size: number): void;
  mailTried(outcome: MailOutcome): void;
  deliveryTried(outcome: DeliveryOutcome): void;
  /** An organization's expensive work acquired a permit or was refused. */
  workAdmitted(kind: WorkKind, outcome: (typeof WORK_OUTCOMES)[number]): void;
  /** A request was refused because its organization uses its whole share of the connections. */
  connectionRefused(): void;
  /** A write was refused because of a storage quota or a full disk. */
  storageRefused(limit: StorageLimit): void;
  /** A request failed because the database takes no writes. */
  writeRefused(): void;
  /** An expensive read was sent to the replica or, for any route but `current`, to the primary. */
  readRouted(route: ReadRoute): void;
  /** Sets the gauges of the backlog; undefined when the database did not answer. */
  backlog(current: Backlog | undefined): void;
  /** Prometheus text exposition format. */
  render(): Promise<string>;
  contentType: string;
}

export interface MetricsOptions {
  /** The load of the password hasher. */
  hashing?: (() => HashLoad) | undefined;
  /** The state of the replica. Unset: there is none. */
  replica?: (() => ReplicaState) | undefined;
  /** The memory budgets for request bodies, by the label `budget`. */
  bodies?: Readonly<Record<string, BudgetLoad>> | undefined;
  /** Registers metrics of the runtime. */
  collectRuntime?: ((registry: Registry) => void) | undefined;
}

/** Node accepts about 30 methods. Methods that no endpoint has share the label `other`. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

const AUTH_FAILURES = (Object.keys(ERRORS) as ErrorKey[]).filter((key) =>
  /^(auth|token|rate_limit)_error\//.test(key),
);

export function createMetrics(pool: () => PoolGauges, options: MetricsOptions = {}): Metrics {
  const registry = new Registry();
  const registers = [registry];
  new Gauge({
    name: 'svc_build_info',
    help: 'Always 1. The label has the version of the service.',
    labelNames: ['version'],
    registers,
  }).set({ version: VERSION }, 1);
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
  const authFailures = new Counter({
    name: 'svc_auth_failures_total',
    help: 'Requests refused because of their sender; kind is the type and code of the error.',
    labelNames: ['kind'],
    registers,
  });
  // Starts at 0, because Prometheus does not count the first value of a new series as an increase.
  for (const kind of AUTH_FAILURES) authFailures.inc({ kind }, 0);
  const batches = new Histogram({
    name: 'svc_ingest_batch_size',
    help: 'Pushed findings that were written by one statement.',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
    registers,
  });
  const mails = new Counter({
    name: 'svc_mails_total',
    help: 'Attempts to send a mail by outcome. Failed ones are retried for a day, then given up.',
    labelNames: ['outcome'],
    registers,
  });
  for (const outcome of MAIL_OUTCOMES) mails.inc({ outcome }, 0);
  const deliveries = new Counter({
    name: 'svc_event_deliveries_total',
    help: 'Attempts to send an event to a webhook or an integration by outcome. Failed ones are retried for three days, then given up.',
    labelNames: ['outcome'],
    registers,
  });
  for (const outcome of DELIVERY_OUTCOMES) deliveries.inc({ outcome }, 0);

  const work = new Counter({
    name: 'svc_org_work_total',
    help: "Searches and whole lists by outcome: at once, waited for a permit of the organization's share, or refused (429).",
    labelNames: ['kind', 'outcome'],
    registers,
  });
  for (const kind of WORK_KINDS) for (const outcome of WORK_OUTCOMES) work.inc({ kind, outcome }, 0);
  const connectionRefusals = new Counter({
    name: 'svc_org_connections_refused_total',
    help: 'Requests refused (429) because their organization used its whole share of the database connections.',
    registers,
  });

  const storageRefusals = new Counter({
    name: 'svc_storage_refused_total',
    help: 'Writes refused (429) because an organization or account exceeds its storage quota, or the disk is almost full.',
    labelNames: ['limit'],
    registers,
  });
  for (const limit of STORAGE_LIMITS) storageRefusals.inc({ limit }, 0);
  const writeRefusals = new Counter({
    name: 'svc_db_writes_refused_total',
    help: 'Requests that failed because the database takes no writes: its disk is full, or it is read-only.',
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
  poolGauge('svc_db_pool_max', 'Database connections that may be opened.', (gauges) => gauges.max);
  poolGauge('svc_db_pool_waiting', 'Queries waiting for a database connection.', (gauges) => gauges.waiting);

  const reads = new Counter({
    name: 'svc_db_replica_reads_total',
    help: 'Expensive reads by the database that answered: the replica if it was current, otherwise the primary.',
    labelNames: ['target', 'reason'],
    registers,
  });
  const routeLabels = (reason: ReadRoute) => ({
    target: reason === 'current' ? 'replica' : 'primary',
    reason,
  });
  for (const route of READ_ROUTES) reads.inc(routeLabels(route), 0);
  const { replica } = options;
  const replicaGauge = (name: string, help: string, read: (state: ReplicaState) => number | undefined) => {
    const gauge = new Gauge({
      name,
      help,
      registers,
      collect() {
        const value = replica && read(replica());
        if (value === undefined) this.remove();
        else this.set(value);
      },
    });
    gauge.remove();
  };
  replicaGauge(
    'svc_db_replica_up',
    'Whether the replica answers and is a standby of the primary.',
    (state) => (state.problem ? 0 : 1),
  );
  replicaGauge(
    'svc_db_replica_lag_seconds',
    'For how long the replica has not replayed what the primary has committed.',
    ({ lagMs }) => (lagMs === undefined ? undefined : lagMs / 1_000),
  );

  const hashing = options.hashing ?? (() => ({ waiting: 0, refused: { full: 0, late: 0 } }));
  new Gauge({
    name: 'svc_password_hash_waiting',
    help: 'Requests that wait for their password to be hashed.',
    registers,
    collect() {
      this.set(hashing().waiting);
    },
  });
  new Counter({
    name: 'svc_password_hash_refused_total',
    help: 'Requests refused because too many passwords were waiting to be hashed, or for too long.',
    labelNames: ['reason'],
    registers,
    collect() {
      const { refused } = hashing();
      this.reset();
      for (const reason of HASH_REFUSALS) this.inc({ reason }, refused[reason]);
    },
  });

  const budgets = Object.entries(options.bodies ?? {});
  const budgetGauge = (name: string, help: string, read: (budget: BudgetLoad) => number) =>
    new Gauge({
      ...{ name, help, registers },
      labelNames: ['budget'],
      collect() {
        for (const [name, budget] of budgets) this.set({ budget: name }, read(budget));
      },
    });
  budgetGauge('svc_body_memory_bytes', 'Memory reserved for request bodies, without small ones.', (budget) =>
    budget.inUse(),
  );
  budgetGauge('svc_body_memory_waiting', 'Requests that wait for memory for their bodies.', (budget) =>
    budget.waiting(),
  );
  new Counter({
    name: 'svc_body_memory_refused_total',
    help: 'Requests refused (429): no memory for their bodies in time, or their bodies came slowly while others waited.',
    labelNames: ['budget', 'reason'],
    registers,
    collect() {
      this.reset();
      for (const [name, budget] of budgets)
        for (const reason of BUDGET_REFUSALS) this.inc({ budget: name, reason }, budget.refused()[reason]);
    },
  });

  /** A gauge about the database that all servers share. It has no value until the database was read. */
  const databaseGauge = (name: string, help: string) => {
    const gauge = new Gauge({ name, help, registers });
    gauge.remove();
    return (value: number | undefined) => (value === undefined ? gauge.remove() : gauge.set(value));
  };
  const setUp = databaseGauge('svc_db_up', 'Whether the database answered when it was last asked.');
  const setMails = databaseGauge('svc_mail_queue_depth', 'Mails not sent yet, counted up to 10,000.');
  const setOldestMail = databaseGauge(
    'svc_mail_oldest_seconds',
    'Age of the oldest mail not sent yet; 0 without any.',
  );
  const setOldestDestination = databaseGauge(
    'svc_event_destination_oldest_seconds',
    'For how long events have been due at the webhook or integration that waits longest; 0 without any.',
  );
  const setBehind = databaseGauge(
    'svc_migrations_pending',
    'Organizations whose schema is still to be migrated, counted up to 10,000.',
  );
  options.collectRuntime?.(registry);

  return {
    requestStarted: () => active.inc(),
    requestEnded(requested, path, status, seconds) {
      active.dec();
      const method = METHODS.has(requested) ? requested : 'other';
      requests.inc({ method, path, status });
      duration.observe({ method, path }, seconds);
    },
    refused(kind) {
      if (AUTH_FAILURES.includes(kind)) authFailures.inc({ kind });
    },
    batchWritten: (size) => batches.observe(size),
    mailTried: (outcome) => mails.inc({ outcome }),
    deliveryTried: (outcome) => deliveries.inc({ outcome }),
    workAdmitted: (kind, outcome) => work.inc({ kind, outcome }),
    connectionRefused: () => connectionRefusals.inc(),
    storageRefused: (limit) => storageRefusals.inc({ limit }),
    writeRefused: () => writeRefusals.inc(),
    readRouted: (route) => reads.inc(routeLabels(route)),
    backlog(current) {
      setUp(current ? 1 : 0);
      setMails(current?.mails);
      setOldestMail(current?.oldestMailS);
      setOldestDestination(current?.oldestDestinationS);
      setBehind(current?.orgsBehind);
    },
    render: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
