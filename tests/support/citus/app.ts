import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../../db/client.ts';
import { migrateShared } from '../../../db/migrations/migrate.ts';
import type { Sql } from '../../../db/pool/query.ts';
import { sharedMigrations } from '../../../drizzle/migrations.ts';
import { afterSuite } from '../run/suite.ts';
import { startApp, type TestApp, type TestAppOptions } from '../server/app.ts';
import { type CitusCluster, makeCitusDatabase, startCitus } from './cluster.ts';

/** An app on a cluster of its own, so that its nodes may be stopped. */
export interface CitusApp {
  cluster: CitusCluster;
  /** The database of the app as the superuser. */
  admin: Sql;
  t: TestApp;
}

/** Starts a cluster and an app with a role that is no superuser; both stop after the calling suite. */
export async function startCitusApp(binDir: string, options: TestAppOptions = {}): Promise<CitusApp> {
  const workDir = await mkdtemp(join(tmpdir(), 'svc-cluster-'));
  afterSuite(() => rm(workDir, { recursive: true, force: true }));
  const cluster = await startCitus({ workDir, onClose: afterSuite }, binDir);
  const { adminUrl, url: databaseUrl } = await makeCitusDatabase(cluster.nodes(), 'findings');
  const admin = openDatabase({ url: adminUrl, max: 2, statementMs: 0 });
  afterSuite(() => admin.close());
  const service = openDatabase({ url: databaseUrl, max: 1 });
  await migrateShared(service.sql, sharedMigrations);
  await service.close();
  return { cluster, admin: admin.sql, t: await startApp({ ...options, databaseUrl }) };
}
