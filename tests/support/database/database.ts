import { inject } from 'vitest';
import { TEMPLATE } from './postgres.ts';
import { type MadeDatabase, makeDatabase } from './scratch.ts';

export type TestDatabase = MadeDatabase;

/** Makes a database for one suite: with `shared` migrated, or empty. */
export const createDatabase = (from: 'migrated' | 'empty' = 'migrated'): Promise<TestDatabase> =>
  makeDatabase(inject('postgresUrl'), from === 'migrated' ? { template: TEMPLATE } : {});
