import { gzipSync } from 'node:zlib';
import { type Database, openDatabase } from '../../db/client.ts';
import { openReplica, type Replica } from '../../db/replica/replica.ts';
import type { Config } from '../config/config.ts';
import { createByteBudget } from '../fair-share/byte-budget.ts';
import { countPermits } from '../fair-share/permits.ts';
import type { BodyBudgets } from '../http/request/held-body.ts';
import type { Logger } from '../logger.ts';
import type { Outbound } from '../outbound/outbound.ts';
import type { ReportReader } from '../reports/reader.ts';
import { FORM_BYTES } from '../reports/unwrap.ts';
import { connectServices, createCore, type Platform, type Services } from '../services.ts';
import { readMailSecret } from './mail-secret.ts';
import { createNodeOutbound } from './outbound.ts';
import { BODIES, memoryShortage, readerHeapMiB, readersFor } from './reports/memory.ts';
import { createReportProcesses } from './reports/report-processes.ts';

export interface NodePlatform extends Omit<Platform, 'reports' | 'gzip' | 'outbound'> {
  databaseUrl: string;
  outbound?: Outbound;
  reports?: ReportReader;
}

/** The services of a process, over a pool of connections. */
export async function createServices(platform: NodePlatform): Promise<Services> {
  const { config, log, databaseUrl } = platform;
  const max = config.dbPoolMax;
  const database: Database = openDatabase({
    url: databaseUrl,
    max,
    onPooler: () => log.info('the database is behind a connection pooler: no statements are prepared'),
  });
  const replica = openReplicaOf(config, database, log);
  const mailSecret = await readMailSecret(config, log);
  const { reports = createReportReader(config, log), bodies = createBodyBudgets() } = platform;
  const { outbound = createNodeOutbound(config) } = platform;
  const metrics = {
    ...platform.metrics,
    ...(replica && { replica: replica.state }),
    bodies: {
      ...{ organizations: bodies.ofOrgs, clients: bodies.ofClients },
      ...(reports.bodies && { reports: reports.bodies }),
    },
  };
  const core = await createCore(
    { ...platform, reports, outbound, bodies, mailSecret, gzip, metrics },
    database.pool,
  );
  return connectServices(core, { database, max, replica });
}

function openReplicaOf(
  { dbPoolMax, replicaUrl: url, replicaMaxLagMs: maxLagMs }: Config,
  primary: Database,
  log: Logger,
): Replica | undefined {
  if (url === undefined) return undefined;
  const { search, list } = countPermits(dbPoolMax);
  return openReplica({
    ...{ url, primary, maxLagMs },
    // Each read has a permit.
    max: search + list,
    onPooler: () => log.info('the replica is behind a connection pooler: no statements are prepared'),
    onChange({ problem, reason }) {
      if (problem) log.warn('the replica is not used', { problem, reason });
      else log.info('the replica is used for expensive reads');
    },
  });
}

/** A page of 25 findings takes 0.2 ms. The threads of `zlib` would be shared with the hashing of passwords. */
const gzip = (bytes: Uint8Array) => new Uint8Array(gzipSync(bytes, { level: 1 }));

const MIB = 1024 * 1024;
const createBodyBudgets = (): BodyBudgets => ({
  ofOrgs: createByteBudget({ total: 64 * MIB, perAccount: 32 * MIB }),
  ofClients: createByteBudget({ total: 8 * MIB, perAccount: 4 * MIB }),
});

function createReportReader({ maxReport }: Config, log: Logger): ReportReader {
  const shortage = memoryShortage(maxReport);
  if (shortage !== undefined) log.warn('memory is short', { reason: shortage });
  const processes = createReportProcesses({
    heapMiB: readerHeapMiB(maxReport),
    onBug: (stack) => log.error('a report could not be imported', { stack }),
    onOutOfMemory: (bytes) =>
      log.error('the system ended a process that read a report: there is no memory left', { bytes }),
  });
  const largest = maxReport + FORM_BYTES;
  return {
    maxBytes: maxReport,
    atOnce: readersFor(maxReport),
    bodies: createByteBudget({ total: BODIES * largest, perAccount: (BODIES / 2) * largest }),
    open: processes.open,
  };
}
