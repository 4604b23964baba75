import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { openDatabase } from '../../../db/client.ts';
import { TEMPLATE, withDatabase } from './postgres.ts';

/** A fresh database for one suite. */
export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

/** Makes a database: with `shared` migrated, or empty. */
export async function createDatabase(from: 'migrated' | 'empty' = 'migrated'): Promise<TestDatabase> {
  const postgresUrl = inject('postgresUrl');
  const name = `test_${randomBytes(8).toString('hex')}`;
  const admin = openDatabase({ url: postgresUrl, max: 1 });
  await admin.sql.unsafe(`create database ${name} template ${from === 'migrated' ? TEMPLATE : 'template0'}`);
  return {
    url: withDatabase(postgresUrl, name),
    async drop() {
      await admin.sql.unsafe(`drop database if exists ${name} with (force)`);
      await admin.close();
    },
  };
}
