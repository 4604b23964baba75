import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** The command; undefined when it is not installed. */
export const findPsql = (): Promise<string | undefined> =>
  execute('psql', ['--version']).then(
    () => 'psql',
    () => undefined,
  );

/** An environment in which psql connects to a database without being told. */
export function psqlEnvironment(databaseUrl: string): NodeJS.ProcessEnv {
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

/** Runs statements one after the other in one session; @returns the milliseconds psql says each took */
export async function timeByPsql(databaseUrl: string, statements: readonly string[]): Promise<number[]> {
  const commands = ['\\timing on', ...statements].flatMap((statement) => ['-c', statement]);
  const { stdout } = await execute('psql', ['-X', '-q', '-o', '/dev/null', ...commands], {
    env: psqlEnvironment(databaseUrl),
  });
  return [...stdout.matchAll(/^Time: ([\d.]+) ms/gm)].map(([, ms]) => Number(ms));
}
