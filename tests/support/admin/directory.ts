import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { openDatabase } from '../../../db/client.ts';
import type { Sql } from '../../../db/pool/query.ts';
import { withDatabase } from '../database/scratch.ts';
import { afterSuite } from '../run/suite.ts';
import { admin } from './command.ts';

/** A directory of cells in a database of its own. */
export interface TestDirectory {
  /** As its owner, an operator without superuser rights. */
  url: string;
  /** A session of the owner. */
  sql: Sql;
  /** As the role of a cell. */
  urlOf(cell: string): string;
  /** Runs `cells grant` as the owner. */
  grant(...args: string[]): ReturnType<typeof admin>;
}

/**
 * Creates an empty database, and a role for each cell. The roles belong to the whole PostgreSQL: suites that run at the same time name
 * their cells differently.
 * @param prepare is called before the first role is made
 */
export async function createDirectory(
  cells: readonly string[],
  prepare: (sql: Sql) => Promise<unknown> = async () => {},
): Promise<TestDirectory> {
  const name = `directory_${randomBytes(8).toString('hex')}`;
  const serverUrl = inject('postgresUrl');
  const server = openDatabase({ url: serverUrl, max: 1 });
  const dropRoles = async () => {
    for (const role of [...cells.map((cell) => `cell_${cell}`), `map_${name}`])
      await server.sql.unsafe(`drop role if exists "${role}"`);
  };
  await dropRoles();
  await server.sql.unsafe(`create role ${name} login createrole password 'operator'`);
  await server.sql.unsafe(`create database ${name} owner ${name}`);
  const url = Object.assign(new URL(withDatabase(serverUrl, name)), {
    username: name,
    password: 'operator',
  }).href;
  const owner = openDatabase({ url, max: 2 });
  afterSuite(async () => {
    await owner.close(0);
    await server.sql.unsafe(`drop database ${name} with (force)`);
    await dropRoles();
    await server.sql.unsafe(`drop role ${name}`);
    await server.close();
  });
  const grant = (...args: string[]) =>
    admin('', ['cells', 'grant', ...args], { env: { SVC_CELLS_URL: url, DATABASE_URL: undefined } });
  await prepare(owner.sql);
  const urls = new Map<string, string>();
  for (const cell of cells) {
    const { code, out, err } = await grant(cell, '--json');
    if (code !== 0) throw new Error(err);
    urls.set(cell, JSON.parse(out).url);
  }
  return { url, sql: owner.sql, urlOf: (cell) => urls.get(cell) ?? '', grant };
}
