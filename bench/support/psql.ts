import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** The command; undefined when it is not installed. */
export const findPsql = (): Promise<string | undefined> =>
  execute('psql', ['--version']).then(
    () => 'psql',
    () => undefined,
  );

/** An environment in which psql connects to a database without arguments. */
function environmentOf(databaseUrl: string): NodeJS.ProcessEnv {
  const url = new URL(databaseUrl);
  return {
    PATH: process.env.PATH,
    PGHOST: url.hostname,
    PGPORT: url.port || '5432',
    PGUSER: decodeURIComponent(url.username),
    PGPASSWORD: decodeURIComponent(url.password),
    PGDATABASE: url.pathname.slice(1),
  };
}

/** Runs statements one after the other in one session; @returns the milliseconds of each, as psql measures them */
export async function timeByPsql(databaseUrl: string, statements: readonly string[]): Promise<number[]> {
  const commands = ['\\timing on', ...statements].flatMap((statement) => ['-c', statement]);
  const { stdout } = await execute('psql', ['-X', '-q', '-o', '/dev/null', ...commands], {
    env: environmentOf(databaseUrl),
  });
  return [...stdout.matchAll(/^Time: ([\d.]+) ms/gm)].map(([, ms]) => Number(ms));
}

/** Copies the rows of a query to nowhere; @returns milliseconds */
export async function copyByPsql(databaseUrl: string, query: string): Promise<number> {
  const began = performance.now();
  const child = spawn('psql', ['-X', '-c', `copy (${query}) to stdout`], {
    env: environmentOf(databaseUrl),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`psql ended with ${code}`);
  return performance.now() - began;
}

/** Runs a file. @throws Error when a statement fails */
export async function runPsql(databaseUrl: string, file: string): Promise<void> {
  await execute('psql', ['-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', file], {
    env: environmentOf(databaseUrl),
  });
}
