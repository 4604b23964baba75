import { execFile } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** A script of one statement, run repeatedly by many clients. */
export interface PgbenchLoad {
  databaseUrl: string;
  /** File to write the script to. */
  file: string;
  script: string;
  /** Values for `:name` in the script. */
  variables: Record<string, string | number>;
  clients: number;
  seconds: number;
}

/** The result. */
export interface PgbenchResult {
  transactions: number;
  perSecond: number;
}

const INSTALLED = '/usr/lib/postgresql';

/** The command, from PATH or where Debian's packages put it; undefined when it is not installed. */
export async function findPgbench(): Promise<string | undefined> {
  const versions = await readdir(INSTALLED).catch(() => []);
  const newest = versions.sort((a, b) => Number(b) - Number(a));
  for (const command of ['pgbench', ...newest.map((version) => join(INSTALLED, version, 'bin/pgbench'))]) {
    if (await execute(command, ['--version']).catch(() => undefined)) return command;
  }
  return undefined;
}

/** Runs a load with prepared statements. */
export async function runPgbench(command: string, load: PgbenchLoad): Promise<PgbenchResult> {
  const url = new URL(load.databaseUrl);
  const password = decodeURIComponent(url.password);
  url.password = '';
  await writeFile(load.file, load.script);
  const defines = Object.entries(load.variables).flatMap(([name, value]) => ['-D', `${name}=${value}`]);
  const { stdout } = await execute(
    command,
    [
      ...['-n', '-M', 'prepared', '-c', `${load.clients}`, '-j', '2', '-T', `${load.seconds}`],
      ...[...defines, '-f', load.file, url.href],
    ],
    { env: { PATH: process.env.PATH, PGPASSWORD: password } },
  );
  const read = (pattern: RegExp) => Number(pattern.exec(stdout)?.[1]);
  return {
    transactions: read(/transactions actually processed: (\d+)/),
    perSecond: read(/tps = ([\d.]+) \(without initial/),
  };
}
