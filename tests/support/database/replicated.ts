import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { type Database, openDatabase } from '../../../db/client.ts';
import { migrateShared } from '../../../db/migrations/migrate.ts';
import { READ_ROUTES, type ReadRoute } from '../../../db/replica/reads.ts';
import { orgSchemaName } from '../../../db/schema/org-schema.ts';
import { sharedMigrations } from '../../../drizzle/migrations.ts';
import { createLogger } from '../../../lib/logger.ts';
import type { TestOrg } from '../api/client.ts';
import { afterSuite } from '../run/suite.ts';
import type { Site } from '../scenario/site.ts';
import { startApp, type TestApp } from '../server/app.ts';
import { type OwnPostgres, startOwnPostgres } from './own-postgres.ts';
import { PRIMARY_SETTINGS, type Standby, startStandby } from './standby.ts';

/** A primary with a standby, of this suite only. */
export interface Replicated {
  site: Pick<Site, 'workDir' | 'onClose'>;
  primary: OwnPostgres;
  standby: Standby;
  /** The primary as superuser, without time limits. */
  admin: Database;
  /** The log of the apps. */
  logged: Logged[];
  /** Starts an app over the primary with this replica. */
  appWith(replicaUrl: string, env?: Record<string, string>): Promise<TestApp>;
}

export interface Logged {
  level: string;
  message: string;
  [field: string]: unknown;
}

/** Starts a primary and its standby. Both are stopped after the suite. */
export async function startReplicated(settings: Record<string, string> = {}): Promise<Replicated> {
  const workDir = await mkdtemp(join(tmpdir(), 'replica-'));
  afterSuite(() => rm(workDir, { recursive: true, force: true }));
  const site = {
    workDir,
    onClose: (undo: () => Promise<unknown>) => afterSuite(async () => void (await undo())),
  };
  const primary = await startOwnPostgres(site, PRIMARY_SETTINGS);
  const admin = openDatabase({ url: primary.url, max: 2, statementMs: 0 });
  site.onClose(() => admin.close());
  await migrateShared(admin.sql, sharedMigrations);
  const standby = await startStandby(site, primary, { settings });
  const logged: Logged[] = [];
  const write = (line: string) => void logged.push(JSON.parse(line));
  return {
    ...{ site, primary, standby, admin, logged },
    appWith: (replicaUrl, env = {}) =>
      startApp({
        databaseUrl: primary.url,
        env: { DATABASE_URL: primary.url, DATABASE_REPLICA_URL: replicaUrl, ...env },
        log: createLogger({ level: 'info', format: 'json', write }),
      }),
  };
}

/** Copies the finding of an organization that has one. */
export async function addFindings({ admin }: Replicated, { id }: TestOrg, count: number): Promise<void> {
  const table = `"${orgSchemaName(id)}".findings`;
  await admin.sql.unsafe(`
    insert into ${table} select (jsonb_populate_record(null::${table}, to_jsonb(f) || jsonb_build_object(
      'id', '00000000-0000-7000-8000-' || lpad(i::text, 12, '0'), 'fingerprint', 'n' || i, 'title', 'No. ' || i,
      'description', repeat('x', 10000)))).*
    from ${table} f, generate_series(1, ${count}) i`);
}

export const replicaOf = ({ services }: TestApp) => services.replica?.state();

/** Waits until an app may use its replica, or has this problem with it. */
export const replicaBecomes = (app: TestApp, problem: 'down' | 'refused' | undefined) =>
  vi.waitFor(() => expect(replicaOf(app)).toMatchObject({ problem }), 10_000);

/** How many expensive reads of an app went which way; routes without any are left out. */
export async function routesDuring(app: TestApp, work: () => Promise<unknown>) {
  const before = await routesOf(app);
  await work();
  const after = await routesOf(app);
  const counts = READ_ROUTES.map((route) => [route, after[route] - before[route]] as const);
  return Object.fromEntries(counts.filter(([, count]) => count > 0)) as Partial<Record<ReadRoute, number>>;
}

async function routesOf({ services }: TestApp): Promise<Record<ReadRoute, number>> {
  const text = await services.metrics.render();
  const lines = text.matchAll(/^svc_db_replica_reads_total\{target="\w+",reason="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries([...lines].map(([, reason, count]) => [reason, Number(count)])) as never;
}
