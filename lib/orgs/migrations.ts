import { setTimeout as sleep } from 'node:timers/promises';
import { and, asc, count, gt, gte, lt, type SQL } from 'drizzle-orm';
import type { Database, Db } from '../../db/client.ts';
import { isRetryable, isUnavailable, sqlState } from '../../db/errors.ts';
import { createIndexes, orgsWithoutIndexes } from '../../db/migrations/indexes.ts';
import type { Migration } from '../../db/migrations/migrate.ts';
import { areBehind } from '../../db/orgs/tables.ts';
import type { Sql } from '../../db/pool/query.ts';
import { orgs } from '../../db/schema/orgs.ts';
import type { Logger } from '../logger.ts';
import { forEachOrg } from './for-each-org.ts';

/** How many organizations are migrated side by side, at the most. */
export const MIGRATIONS_AT_ONCE = 4;

const PAGE = 100;
const RETRY_MS = { first: 1_000, most: 60_000 };
/** Delay before the next look at indexes that another process creates. */
const OTHER_PROCESS_MS = 500;

const CANCELED = '57014';
const LOCK_TIMEOUT = '55P03';
const POOL_CLOSED = 'CONNECTION_ENDED';

/** The input of migrations of organizations. */
export interface OrgMigrations {
  db: Db;
  /** How many side by side. */
  atOnce: number;
  /** The version all of them are brought to. */
  version: number;
  /** Migrates one. */
  migrate(orgId: string): Promise<void>;
  log: Logger;
}

/**
 * Migrates every org that is behind, several at a time. One that fails is logged and left behind, unless the failure
 * will pass: then it is tried again after a while, and again, until the pool is closed.
 */
export async function migrateOrgs(options: OrgMigrations): Promise<void> {
  const { log } = options;
  const failed = new Set<string>();
  await untilPassed(() => goThrough(options, failed), 'organizations cannot be migrated now', log);
  if (failed.size > 0) log.warn('organizations are left behind', { count: failed.size });
}

/**
 * Creates the indexes that organizations lack. One that fails is logged and left to the next start, unless the failure will
 * pass.
 */
export async function indexOrgs(
  database: Database,
  migrations: readonly Migration[],
  log: Logger,
): Promise<void> {
  const work = async () => {
    let passing: unknown;
    await addIndexes(database, migrations, {
      onCreated: (org, count, ms) => log.info('indexes created', { org, count, ms }),
      onFailure(org, error) {
        if (willPass(error)) passing = error;
        else log.error('indexes of an organization cannot be created', { org, error });
      },
    });
    return passing;
  };
  await untilPassed(work, 'indexes of organizations cannot be created now', log);
}

/**
 * Repeats `work` after a while, as long as it returns or throws a failure that will pass, until the pool is closed.
 * @throws any other failure that it throws
 */
async function untilPassed(work: () => Promise<unknown>, message: string, log: Logger): Promise<void> {
  for (let delay = RETRY_MS.first; ; delay = Math.min(2 * delay, RETRY_MS.most)) {
    const error = await work().catch((error: unknown) => error);
    if (error === undefined || sqlState(error) === POOL_CLOSED) return;
    if (!willPass(error)) throw error;
    log.warn(message, { error });
    await sleep(delay, undefined, { ref: false });
  }
}

/**
 * Tries all that are behind and have not `failed`; those that do are added.
 * @returns a failure that will pass
 * @throws when the database is unavailable
 */
async function goThrough(options: OrgMigrations, failed: Set<string>): Promise<unknown> {
  const { db, atOnce, version, migrate, log } = options;
  const [found] = await db.select({ behind: count() }).from(orgs).where(areBehind(version));
  const behind = found?.behind ?? 0;
  if (behind === 0) return undefined;
  log.info('migrating organizations', { count: behind });
  const ids = orgsBehind(options, Math.floor(Math.random() * behind));
  let passing: unknown;
  await forEachOrg(ids, atOnce, async (id) => {
    if (failed.has(id)) return;
    await migrate(id).catch((error) => {
      if (isAway(error)) throw error;
      if (willPass(error)) {
        passing = error;
        return;
      }
      failed.add(id);
      log.error('organization cannot be migrated', { org: id, error });
    });
  });
  if (passing === undefined) log.info('organizations migrated', { failed: failed.size });
  return passing;
}

/**
 * The ids of those that are behind when their page is read, each once. Other processes do the same: each begins somewhere
 * else.
 */
async function* orgsBehind({ db, version }: OrgMigrations, skip: number): AsyncGenerator<string> {
  const page = async (where: SQL | undefined, { limit = PAGE, offset = 0 } = {}) => {
    const rows = await db
      .select({ id: orgs.id })
      .from(orgs)
      .where(and(areBehind(version), where))
      .orderBy(asc(orgs.id))
      .limit(limit)
      .offset(offset);
    return rows.map(({ id }) => id);
  };
  const [start] = await page(undefined, { limit: 1, offset: skip });
  if (start === undefined) return;
  for (const part of [gte(orgs.id, start), lt(orgs.id, start)]) {
    let ids = await page(part);
    while (ids.length > 0) {
      // In random order, so that two processes do not wait for each other at every organization.
      yield* ids.toSorted(() => Math.random() - 0.5);
      ids = await page(and(part, gt(orgs.id, ids.at(-1) ?? start)));
    }
  }
}

/**
 * Creates the indexes that organizations lack, one organization at a time: those that a migration left out, and those of
 * searches that were made or migrated without pg_trgm. Waits for another process that creates them.
 * @param options.onFailure gets a failure of one organization
 * @returns how many indexes were created
 */
export async function addIndexes(
  database: Database,
  migrations: readonly Migration[],
  options: {
    onCreated?: (orgId: string, count: number, ms: number) => void;
    onFailure: (orgId: string, error: unknown) => void;
  },
): Promise<number> {
  const ids = await orgsWithoutIndexes(database.sql, migrations.length);
  if (ids.length === 0) return 0;
  let total = 0;
  await database.unlimited((client) =>
    forEachOrg(ids, 1, async (id) => {
      try {
        const began = performance.now();
        const count = await untilCreated(client, id, migrations);
        total += count;
        if (count > 0) options.onCreated?.(id, count, Math.round(performance.now() - began));
      } catch (error) {
        if (sqlState(error) === POOL_CLOSED) throw error;
        options.onFailure(id, error);
      }
    }),
  );
  return total;
}

async function untilCreated(client: Sql, orgId: string, migrations: readonly Migration[]): Promise<number> {
  for (;;) {
    const count = await createIndexes(client, orgId, migrations);
    if (count !== undefined) return count;
    await sleep(OTHER_PROCESS_MS, undefined, { ref: false });
  }
}

/**
 * Whether the database is unavailable, so that all other organizations would fail as well. A statement that an operator
 * cancelled fails for its own organization only.
 */
export const isAway = (error: unknown): boolean => isUnavailable(error) && sqlState(error) !== CANCELED;

/** Whether a migration failed by no fault of the organization's. */
const willPass = (error: unknown): boolean =>
  sqlState(error) === LOCK_TIMEOUT || isAway(error) || isRetryable(error);
