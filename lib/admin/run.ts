import { CommanderError } from 'commander';
import { isUnavailable, sqlState } from '../../db/errors.ts';
import { OWNER_SEARCH_PATH } from '../../db/migrations/service-rights.ts';
import { orgMigrations, sharedMigrations } from '../../drizzle/migrations.ts';
import { parseConfig } from '../config/parse.ts';
import { createLogger } from '../logger.ts';
import { withTrialSecrets } from '../node/trial-secrets.ts';
import type { Ask } from './ask.ts';
import type { Chosen } from './commands/choose.ts';
import { buildProgram } from './commands.ts';
import { type Connection, connect } from './connect.ts';
import { readEnvFile } from './env-file.ts';
import { AdminError, EXIT, isExpected, oneLine, reasonOf } from './error.ts';
import type { Tracks } from './migrations.ts';

/** The process as the command sees it. */
export interface AdminIo {
  env: Record<string, string | undefined>;
  out(text: string): void;
  err(text: string): void;
  /** Aborts the command. The reason is the name of the signal, such as `SIGTERM`. */
  signal?: AbortSignal;
  /** Unset: there is no terminal. */
  ask?: Ask | undefined;
  tracks?: Tracks;
}

/**
 * Runs one command line.
 * @param args without the program's name
 * @returns the exit code: 0 success, 1 failed or not found, 2 usage error; 128 + n after the signal n
 */
export async function runAdmin(args: readonly string[], io: AdminIo): Promise<number> {
  let chosen: Chosen | undefined;
  const program = buildProgram(io, (found) => {
    chosen = found;
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    if (!chosen) return EXIT.usage;
    return await perform(chosen, io);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    io.err(`${explain(error)}\n`);
    return error instanceof AdminError ? error.exitCode : EXIT.failed;
  }
}

async function perform({ run, json, envFile }: Chosen, io: AdminIo): Promise<number> {
  const given = Object.entries(io.env).filter(([, value]) => value?.trim());
  const env = envFile === undefined ? io.env : { ...readEnvFile(envFile), ...Object.fromEntries(given) };
  const config = await withTrialSecrets(parseConfig(env, { refuse: false }));
  const connections: Connection[] = [];
  const warn = (message: string) => io.err(`${message}\n`);
  const kept = (connection: Connection) => {
    connections.push(connection);
    return connection.database;
  };
  try {
    const context = {
      config,
      // Independent of `LOG_LEVEL`, because the security log must contain the operator's actions.
      log: createLogger({ level: 'info', format: config.logFormat, write: (line) => io.err(line) }),
      tracks: io.tracks ?? { shared: sharedMigrations, org: orgMigrations },
      progress: (line: string) => json || io.out(`${line}\n`),
      ask: io.ask ?? noTerminal,
      connect: async (create: boolean) => kept(await connect({ config, create, warn })),
      async connectOwner() {
        if (config.migrationUrl === undefined) return undefined;
        const owner = { ...config, databaseUrl: config.migrationUrl };
        return kept(await connect({ config: owner, create: false, warn, searchPath: OWNER_SEARCH_PATH }));
      },
    };
    const answer = await untilAborted(io.signal, () => run(context));
    io.out(`${json ? JSON.stringify(answer.json, null, 2) : answer.text}\n`);
    return answer.exitCode ?? EXIT.ok;
  } finally {
    for (const connection of connections) await connection.close();
  }
}

const noTerminal: Ask = async () => {
  throw new AdminError('there is no terminal to ask at');
};

const SIGNAL_NUMBERS: Record<string, number> = { SIGINT: 2, SIGTERM: 15 };

async function untilAborted<T>(signal: AbortSignal | undefined, run: () => Promise<T>): Promise<T> {
  if (!signal) return run();
  const interrupted = () =>
    new AdminError(`ended by ${signal.reason}`, 128 + (SIGNAL_NUMBERS[signal.reason] ?? 0));
  if (signal.aborted) throw interrupted();
  return new Promise<T>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(interrupted()), { once: true });
    run().then(resolve, reject);
  });
}

/** SQLSTATE of undefined table, column and schema. */
const NOT_MIGRATED = new Set(['42P01', '42703', '3F000']);

/** The message for an error: one line for operational errors, the stack for bugs. */
function explain(error: unknown): string {
  if (isExpected(error)) return oneLine(error.message);
  const state = sqlState(error);
  if (state && NOT_MIGRATED.has(state)) {
    return `the database is not up to date (${reasonOf(error)}): run "migrate" first`;
  }
  if (isUnavailable(error)) return `the database cannot be used: ${reasonOf(error)}`;
  if (state === '42501')
    return `the database refused: ${reasonOf(error)} (DATABASE_MIGRATION_URL names the role that may, docs/deployment.md#role-for-migrations)`;
  if (state) return `the database refused: ${reasonOf(error)}`;
  return (error as Error).stack ?? String(error);
}
