import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '../../../db/client.ts';
import { startEmbedded } from '../../../db/embedded/embedded.ts';
import { migrateShared } from '../../../db/migrations/migrate.ts';
import type { Sql } from '../../../db/pool/query.ts';
import { sharedMigrations } from '../../../drizzle/migrations.ts';
import { silentLog } from '../server/log.ts';
import { prepareOrgs } from './prepared-orgs.ts';
import { withDatabase } from './scratch.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A PostgreSQL for this run, where tests may make databases. */
    postgresUrl: string;
  }
}

/** The databases that suites are copied from. */
export const TEMPLATES = {
  /** `shared` is migrated. */
  migrated: 'svc_template',
  /** Schemas of organizations are prepared, too. */
  prepared: 'svc_template_prepared',
};

/** One PostgreSQL for the whole run: TEST_DATABASE_URL's, or an embedded one in a temporary directory. */
export default async function setup(project: TestProject) {
  const given = process.env.TEST_DATABASE_URL;
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-test-'));
  // Nothing of it outlives the run, and a database is made and dropped for each suite.
  const settings = {
    fsync: 'off',
    full_page_writes: 'off',
    synchronous_commit: 'off',
    wal_level: 'minimal',
    max_wal_senders: '0',
    autovacuum: 'off',
    max_connections: '250',
  };
  const embedded = given ? undefined : await startEmbedded({ dataDir, log: silentLog, settings });
  const url = given ?? embedded?.adminUrl ?? '';

  const admin = openDatabase({ url, max: 1 });
  const fill = async (name: string, from: string, content: (sql: Sql) => Promise<unknown>) => {
    await admin.sql.unsafe(`drop database if exists ${name}`);
    await admin.sql.unsafe(`create database ${name} template ${from}`);
    const template = openDatabase({ url: withDatabase(url, name), max: 1 });
    await content(template.sql);
    await template.close();
  };
  await fill(TEMPLATES.migrated, 'template1', (sql) => migrateShared(sql, sharedMigrations));
  await fill(TEMPLATES.prepared, TEMPLATES.migrated, prepareOrgs);
  await admin.close();

  project.provide('postgresUrl', url);
  return async () => {
    await embedded?.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
}
