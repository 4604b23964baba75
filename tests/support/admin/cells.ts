import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, beforeEach } from 'vitest';
import { orgTableNames } from '../../../db/backup/sections.ts';
import { openDatabase } from '../../../db/client.ts';
import { migrateShared } from '../../../db/migrations/migrate.ts';
import type { Sql } from '../../../db/pool/query.ts';
import { orgSchemaName } from '../../../db/schema/org-schema.ts';
import { orgMigrations, sharedMigrations } from '../../../drizzle/migrations.ts';
import type { MoveCall } from '../../../lib/admin/move/call.ts';
import { cancelMove } from '../../../lib/admin/move/manage.ts';
import { moveOrg } from '../../../lib/admin/move/move.ts';
import { createOrg, type TestOrg } from '../api/api.ts';
import { startOwnPostgres } from '../database/own-postgres.ts';
import { withDatabase } from '../database/scratch.ts';
import { afterSuite } from '../run/suite.ts';
import { startApp, type TestApp } from '../server/app.ts';
import { silentLog } from '../server/log.ts';
import { rowsOf } from './backup.ts';
import { LOGICAL } from './logical.ts';

/** Two cells: databases of one PostgreSQL, each with an app. */
export interface Cells {
  one: TestApp;
  two: TestApp;
  /** A session of a superuser, which the roles of the cells are not. */
  superuser: Sql;
}

/**
 * Starts two cells for a suite, and creates an organization in the first one for each test.
 * @param set called before each test
 * @returns what is done with the organization of the test
 */
export function useCells(set: (made: Cells & { org: TestOrg }) => void) {
  let cells: Cells;
  let org: TestOrg;
  beforeAll(async () => {
    cells = await startCells();
  });
  beforeEach(async () => {
    org = await createOrg(cells.one.api);
    set({ ...cells, org });
  });
  return {
    schema: () => orgSchemaName(org.id),
    get: (t: TestApp, path = '/projects') => t.api.get(path, org.asOwner),
    move: (death?: Death) => moveBetween(cells.one, cells.two, org, 'two', death),
    cancel: () => inCells(cells.one, cells.two, (call) => cancelMove(call, org.slug)),
  };
}

/** The error of requests while an organization takes no writes, and in the cell that it has left. */
export const UNAVAILABLE = 'server_error/unavailable';

/** Starts two cells, which stop after the suite. */
async function startCells(): Promise<Cells> {
  const workDir = await mkdtemp(join(tmpdir(), 'cells-'));
  afterSuite(() => rm(workDir, { recursive: true, force: true }));
  const site = {
    workDir,
    onClose: (undo: () => Promise<unknown>) => afterSuite(async () => void (await undo())),
  };
  const own = await startOwnPostgres(site, LOGICAL);
  const admin = openDatabase({ url: own.url, max: 1 });
  const start = async (name: string) => {
    // What the roles of cells may do, and no more (docs/scaling.md).
    await admin.sql.unsafe(
      `create role ${name} login replication password 'cell' in role pg_create_subscription`,
    );
    await admin.sql.unsafe(`create database ${name} owner ${name}`);
    const databaseUrl = Object.assign(new URL(withDatabase(own.url, name)), {
      username: name,
      password: 'cell',
    }).href;
    const database = openDatabase({ url: databaseUrl, max: 1 });
    await migrateShared(database.sql, sharedMigrations);
    await database.close();
    return await startApp({ databaseUrl });
  };
  afterSuite(() => admin.close());
  return { one: await start('one'), two: await start('two'), superuser: admin.sql };
}

export const TABLES = orgTableNames(orgMigrations);

/** A process has died before a statement. */
export class Died extends Error {}

/** Counts the statements of a command, and dies before one of them. */
export interface Death {
  before: number;
  statements: number;
}

/** Called after a statement of the cell that an organization leaves. It may change the rows. */
export type Meddle = (text: string, rows: Record<string, unknown>[]) => Promise<void> | undefined;

/**
 * Calls a command with sessions of its own, as a process has them.
 * @param options.texts gets all statements
 */
export async function inCells<T>(
  from: TestApp,
  to: TestApp,
  use: (call: MoveCall) => Promise<T>,
  {
    death = { before: Number.POSITIVE_INFINITY, statements: 0 },
    texts = [],
    meddle,
  }: { death?: Death | undefined; texts?: string[]; meddle?: Meddle | undefined } = {},
): Promise<T> {
  const sessions = [from, to].map(({ databaseUrl: url }) => openDatabase({ url, max: 2, statementMs: 0 }));
  const [source, target] = sessions;
  if (!source || !target) throw new Error('two');
  try {
    return await source.withConnection((here) =>
      target.withConnection((there) =>
        use({
          source: dying(here, death, texts, meddle),
          target: dying(there, death, texts),
          readers: { source: dying(source.sql, death, texts), target: dying(target.sql, death, texts) },
          sourceUrl: from.databaseUrl,
          ...{ log: silentLog, migrations: orgMigrations, progress: () => {} },
        }),
      ),
    );
  } finally {
    await Promise.all(sessions.map((one) => one.close(0)));
  }
}

function dying(client: Sql, death: Death, texts: string[], meddle?: Meddle): Sql {
  const mortal = <T extends Pick<Sql, 'unsafe'>>(one: T): T => {
    const unsafe = (...call: Parameters<Sql['unsafe']>) => {
      if (++death.statements >= death.before) throw new Died();
      texts.push(call[0]);
      const query = one.unsafe(...call);
      // The rows of a cursor are read by another method.
      if (!meddle || call[0].startsWith('fetch')) return query;
      return query.then(async (rows) => {
        await meddle(call[0], rows);
        return rows;
      }) as typeof query;
    };
    return { ...one, unsafe } as T;
  };
  const begin: Sql['begin'] = (work) => client.begin((tx) => work(mortal(tx)));
  return { ...mortal(client), begin } as Sql;
}

export const sqlOf = (t: TestApp): Sql => t.services.database.sql;

/** All rows of the tables of an organization, without what a move changes. */
export async function rowsIn(t: TestApp, org: TestOrg): Promise<Record<string, string[]>> {
  const { policy_versions: _, ...rows } = await rowsOf(t.services.database, org);
  return rows;
}

/** Objects of an organization in a cell, besides its rows. */
export async function leftIn(t: TestApp, { id }: TestOrg): Promise<string[]> {
  const rows = await sqlOf(t).unsafe<{ left: string }[]>(`
    select nspname::text as left from pg_namespace where nspname ~ '${id.replaceAll('-', '')}'
    union all select 'publication' from pg_publication
    union all select 'slot' from pg_replication_slots where database = current_database()
    union all select 'subscription' from pg_subscription
      where subdbid = (select oid from pg_database where datname = current_database())
    union all select 'arrival' from shared.org_arrivals
    union all select 'move' from shared.org_moves where org_id = '${id}'
    union all select 'trigger' from pg_trigger where not tgisinternal and tgrelid in (
      select oid from pg_class where relnamespace = (select oid from pg_namespace where nspname = '${orgSchemaName(id)}'))
    order by 1`);
  return rows.map(({ left }) => left);
}

export const moveBetween = (
  from: TestApp,
  to: TestApp,
  { slug }: { slug: string },
  cell = 'two',
  death?: Death,
  { meddle, ...more }: Partial<MoveCall> & { meddle?: Meddle } = {},
) =>
  inCells(from, to, (call) => moveOrg({ ...call, ...more }, slug, { to: cell, maxPauseMs: 10_000 }), {
    death,
    meddle,
  });
