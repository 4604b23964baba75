import { and, count, eq, isNull, type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import { BATCH_ROWS, inBatches } from '../db/batches.ts';
import type { Db, Tx } from '../db/client.ts';
import { retried } from '../db/errors.ts';
import { readDeletion } from '../db/orgs/deletion.ts';
import { hasTables } from '../db/orgs/tables.ts';
import { sessions } from '../db/schema/accounts.ts';
import { defineOrgTables, type OrgTables } from '../db/schema/org.ts';
import { orgSchemaName } from '../db/schema/org-schema.ts';
import { orgs } from '../db/schema/orgs.ts';
import type { Config, Quotas } from './config/config.ts';
import { ApiError } from './errors.ts';
import type { Logger } from './logger.ts';
import type { Org } from './orgs/directory.ts';

/** Quotas that refuse one more. */
export type CountQuota = Exclude<keyof Quotas, 'sessionsPerAccount' | 'mailsPerHour'>;

const NAMES: Record<CountQuota, (max: number) => string> = {
  orgsPerAccount: (max) => `An account can create at most ${max} organizations.`,
  emailsPerAccount: (max) => `An account can have at most ${max} e-mail addresses.`,
  mfaDevicesPerAccount: (max) => `An account can have at most ${max} MFA devices.`,
  personalTokensPerAccount: (max) =>
    `An account can have at most ${max} personal access tokens. Revoke one first.`,
  membersPerOrg: (max) => `An organization can have at most ${max} members.`,
  formerSlugsPerOrg: (max) =>
    `An organization can have at most ${max} former slugs. It can take one of them again.`,
  projectsPerOrg: (max) => `An organization can have at most ${max} projects.`,
  tokensPerOrg: (max) => `An organization can have at most ${max} active API tokens. Revoke one first.`,
  tokensPerProject: (max) => `A project can have at most ${max} active API tokens. Revoke one first.`,
};

/**
 * Refuses one more when there are as many rows as allowed. Only in a transaction that has locked whose rows they are
 * ({@link inOrgQuota}, `lockUser`) before: then requests that run at the same time cannot exceed the quota together.
 * @throws ApiError `resource_error/conflict` naming the limit
 */
export async function requireRoom(
  tx: Tx,
  config: Pick<Config, 'quotas'>,
  quota: CountQuota,
  table: PgTable,
  where?: SQL,
): Promise<void> {
  await requireAtMost(tx, config, quota, table, where, config.quotas[quota] - 1);
}

/** The same, after one was added: for callers that cannot know before whether they add one. */
export async function requireNoMore(
  tx: Tx,
  config: Pick<Config, 'quotas'>,
  quota: CountQuota,
  table: PgTable,
  where?: SQL,
): Promise<void> {
  await requireAtMost(tx, config, quota, table, where, config.quotas[quota]);
}

async function requireAtMost(
  tx: Tx,
  config: Pick<Config, 'quotas'>,
  quota: CountQuota,
  table: PgTable,
  where: SQL | undefined,
  most: number,
): Promise<void> {
  // Counting ends when there are too many.
  const found = tx
    .select({ one: sql`1`.as('one') })
    .from(table)
    .where(where)
    .limit(most + 1)
    .as('found');
  const [row] = await tx.select({ there: count() }).from(found);
  if ((row?.there ?? 0) <= most) return;
  const max = config.quotas[quota];
  throw new ApiError('resource_error/conflict', { message: NAMES[quota](max), limit: { limit: quota, max } });
}

/**
 * Locks an organization: requests that add to what its quotas count, or change its members and their roles, run one at a
 * time.
 */
export async function lockOrg(tx: Tx, orgId: string): Promise<void> {
  await tx.select({ id: orgs.id }).from(orgs).where(eq(orgs.id, orgId)).for('no key update');
}

/**
 * The same.
 * @returns the tables of the organization, which may have been created since the request found it
 */
export async function lockOrgTables(tx: Tx, org: Org): Promise<OrgTables> {
  await lockOrg(tx, org.id);
  if (hasTables(org)) return org.tables;
  const [row] = await tx.select({ version: orgs.schemaVersion }).from(orgs).where(eq(orgs.id, org.id));
  return row && row.version > 0 ? defineOrgTables(orgSchemaName(org.id)) : org.tables;
}

/**
 * Runs a transaction that adds to an organization, which is locked. A migration locks the organization's tables first and
 * its row last: when the two meet, one of them is run again.
 */
export const inOrgQuota = <T>(
  { db, org }: { db: Db; org: Org },
  add: (tx: Tx, tables: OrgTables) => Promise<T>,
): Promise<T> =>
  retried(() =>
    db.transaction(async (tx) => {
      const tables = await lockOrgTables(tx, org);
      // Deleted since the access check: a new token would not be suspended.
      if (await readDeletion(tx, org.id)) throw new ApiError('tenant_error/deleted');
      return add(tx, tables);
    }),
  );

/**
 * Ends the oldest sessions of an account beyond its quota, in batches. Call it after the new session is committed: of
 * concurrent sign-ins, the last one then sees all sessions. Rows that are locked are being ended or purged by others; what
 * a failure leaves is left to the next sign-in.
 * @returns how many of the ended sessions were live
 */
export async function endOldestSessions(
  { db, log, now }: { db: Db; log: Logger; now: Date },
  userId: string,
  max: number,
): Promise<number> {
  const kept = and(eq(sessions.userId, userId), isNull(sessions.revokedAt));
  const beyond = db
    .select({ id: sessions.id })
    .from(sessions)
    .where(kept)
    .orderBy(sql`${sessions.createdAt} desc, ${sessions.id} desc`)
    .offset(max)
    .limit(BATCH_ROWS);
  const free = db
    .select({ id: sessions.id })
    .from(sessions)
    .where(and(kept, sql`${sessions.id} = any(array${beyond})`))
    .for('no key update', { skipLocked: true });
  let live = 0;
  try {
    await inBatches(async () => {
      const ended = await db
        .update(sessions)
        .set({ revokedAt: now })
        .where(sql`${sessions.id} = any(array${free})`)
        .returning({ expiresAt: sessions.expiresAt });
      live += ended.filter(({ expiresAt }) => expiresAt > now).length;
      return ended.length;
    });
  } catch (error) {
    log.warn('the oldest sessions were not ended', { user: userId, error });
  }
  return live;
}
