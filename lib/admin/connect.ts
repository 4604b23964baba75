import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, openDatabase } from '../../db/client.ts';
import { startEmbedded } from '../../db/embedded/embedded.ts';
import { sqlState } from '../../db/errors.ts';
import { NO_ANSWER } from '../../db/pool/health.ts';
import type { Config } from '../config/config.ts';
import { AdminError, reasonOf } from './error.ts';
import { MIGRATIONS_AT_ONCE } from './migrations.ts';

export interface Connection {
  database: Database;
  /** Closes the connections. Stops the embedded database unless other processes use it. */
  close(): Promise<void>;
}

export interface ConnectOptions {
  config: Pick<Config, 'databaseUrl' | 'dataDir' | 'dbPoolMax'>;
  /** Creates the embedded database if it does not exist. */
  create: boolean;
  searchPath?: string;
  warn(message: string): void;
}

const CONNECT_WITHIN_MS = 5_000;

/**
 * Opens the servers' database: the one of DATABASE_URL, or the embedded one, which is started if necessary.
 * @throws AdminError when the database cannot be used
 */
export async function connect({ config, create, warn, ...options }: ConnectOptions): Promise<Connection> {
  const { databaseUrl, dataDir, dbPoolMax } = config;
  if (databaseUrl === undefined && !create && !existsSync(join(dataDir, 'postgres'))) {
    throw new AdminError(
      `${dataDir} has no database: set DATABASE_URL or SVC_DATA_DIR, or make one with "migrate"`,
    );
  }
  const quiet = () => {};
  const log = { debug: quiet, info: quiet, warn };
  const embedded = databaseUrl === undefined ? await startEmbedded({ dataDir, log }) : undefined;
  const database = openDatabase({
    ...options,
    url: databaseUrl ?? embedded?.url ?? '',
    max: Math.min(dbPoolMax, MIGRATIONS_AT_ONCE),
    applicationName: 'svc-findings-admin',
  });
  try {
    await database.ping(CONNECT_WITHIN_MS);
  } catch (error) {
    await database.close(0);
    await embedded?.stop();
    const reason = sqlState(error) === NO_ANSWER ? 'no answer' : reasonOf(error);
    throw new AdminError(`the database cannot be used: ${reason}`);
  }
  return {
    database,
    async close() {
      // Only an interrupted command has queries in progress.
      await database.close(1_000);
      await embedded?.stop();
    },
  };
}
