import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { openDatabase } from '../../../db/client.ts';
import { migrateShared } from '../../../db/migrations/migrate.ts';
import { sharedMigrations } from '../../../drizzle/migrations.ts';
import { type CitusNodes, dropCitusDatabase, makeCitusDatabase } from '../citus/cluster.ts';
import { TEMPLATES } from './postgres.ts';
import { type MadeDatabase, makeDatabase } from './scratch.ts';

export type TestDatabase = MadeDatabase;

type Content = keyof typeof TEMPLATES | 'empty';

/** Makes a database for one suite: with `shared` migrated, with prepared organizations for an app in process, or empty. */
export async function createDatabase(from: Content = 'migrated'): Promise<TestDatabase> {
  const citus = inject('citus');
  if (citus) return await createOnCitus(citus, from);
  return await makeDatabase(inject('postgresUrl'), from === 'empty' ? {} : { template: TEMPLATES[from] });
}

/** A database on Citus cannot be copied, and its organizations are not prepared. */
async function createOnCitus(nodes: CitusNodes, from: Content): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  // Suites have the rights that they have on one PostgreSQL.
  const { adminUrl: url } = await makeCitusDatabase(nodes, name);
  if (from !== 'empty') {
    const { sql, close } = openDatabase({ url, max: 1 });
    await migrateShared(sql, sharedMigrations);
    await close();
  }
  return { url, drop: () => dropCitusDatabase(nodes, name) };
}
