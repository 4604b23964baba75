import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { orgTableNames } from '../../../db/backup/sections.ts';
import { openDatabase } from '../../../db/client.ts';
import { migrateShared } from '../../../db/migrations/migrate.ts';
import type { Sql } from '../../../db/pool/query.ts';
import { orgMigrations, sharedMigrations } from '../../../drizzle/migrations.ts';
import type { MoveCall } from '../../../lib/admin/move/call.ts';
import { startOwnPostgres } from '../database/own-postgres.ts';
import { withDatabase } from '../database/scratch.ts';
import { afterSuite } from '../run/suite.ts';
import { startApp, type TestApp } from '../server/app.ts';
import { silentLog } from '../server/log.ts';
import { LOGICAL } from './logical.ts';

/** Two cells: databases of one PostgreSQL, each with an app. */
export interface Cells {
  one: TestApp;
  two: TestApp;
}

/** Starts two cells, which stop after the suite. */
export async function startCells(): Promise<Cells> {
  const workDir = await mkdtemp(join(tmpdir(), 'cells-'));
  afterSuite(() => rm(workDir, { recursive: true, force: true }));
  const site = {
    workDir,
    onClose: (undo: () => Promise<unknown>) => afterSuite(async () => void (await undo())),
  };
  const own = await startOwnPostgres(site, LOGICAL);
  const admin = openDatabase({ url: own.url, max: 1 });
  const start = async (name: string) => {
    await admin.sql.unsafe(`create database ${name}`);
    const databaseUrl = withDatabase(own.url, name);
    const database = openDatabase({ url: databaseUrl, max: 1 });
    await migrateShared(database.sql, sharedMigrations);
    await database.close();
    return await startApp({ databaseUrl });
  };
  const cells = { one: await start('one'), two: await start('two') };
  await admin.close();
  return cells;
}

export const TABLES = orgTableNames(orgMigrations);

/** A process has died before a statement. */
export class Died extends Error {}

/** Counts the statements of a command, and dies before one of them. */
export interface Death {
  before: number;
  statements: number;
}

/** Calls a command with sessions of its own, as a process has them. */
export async function inCells<T>(
  from: TestApp,
  to: TestApp,
  use: (call: MoveCall) => Promise<T>,
  { death = { before: Number.POSITIVE_INFINITY, statements: 0 } }: { death?: Death } = {},
): Promise<T> {
  const sessions = [from, to].map(({ databaseUrl: url }) => openDatabase({ url, max: 1, statementMs: 0 }));
  const [source, target] = sessions;
  if (!source || !target) throw new Error('two');
  try {
    return await source.withConnection((here) =>
      target.withConnection((there) =>
        use({
          source: dying(here, death),
          target: dying(there, death),
          sourceUrl: from.databaseUrl,
          ...{ log: silentLog, migrations: orgMigrations, progress: () => {} },
        }),
      ),
    );
  } finally {
    await Promise.all(sessions.map((one) => one.close(0)));
  }
}

function dying(client: Sql, death: Death): Sql {
  const mortal = <T extends Pick<Sql, 'unsafe'>>(one: T): T => {
    const unsafe = (...call: Parameters<Sql['unsafe']>) => {
      if (++death.statements >= death.before) throw new Died();
      return one.unsafe(...call);
    };
    return { ...one, unsafe } as T;
  };
  const begin: Sql['begin'] = (work) => client.begin((tx) => work(mortal(tx)));
  return { ...mortal(client), begin } as Sql;
}
