import { inject } from 'vitest';
import { TEMPLATES } from './postgres.ts';
import { type MadeDatabase, makeDatabase } from './scratch.ts';

export type TestDatabase = MadeDatabase;

/** Makes a database for one suite: with `shared` migrated, with prepared organizations for an app in process, or empty. */
export const createDatabase = (from: keyof typeof TEMPLATES | 'empty' = 'migrated'): Promise<TestDatabase> =>
  makeDatabase(inject('postgresUrl'), from === 'empty' ? {} : { template: TEMPLATES[from] });
