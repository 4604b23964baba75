import { and, desc, eq, type SQL, sql } from 'drizzle-orm';
import QuickLRU from 'quick-lru';
import type { Database, Tx } from '../db/client.ts';
import { type Migration, migrateOrg, orgSchemaStatements } from '../db/migrations/migrate.ts';
import { SELECT_TRIGRAM_SCHEMA } from '../db/migrations/search-index.ts';
import { orgFields, toResource } from '../db/resources.ts';
import { buildOrgTables, type OrgTables, orgSchemaName, perOrg } from '../db/schema/org.ts';
import { memberships, orgMigrations, orgs, userEmails } from '../db/schema/shared.ts';
import type { CookieCall } from './http/call.ts';
import { ApiError } from './http/errors.ts';
import { subdomainOf } from './http/origin.ts';
import type { Logger } from './logger.ts';
import { isConfirmed } from './members/fields.ts';
import { addSearchIndexes, MIGRATIONS_AT_ONCE, migrateOrgs } from './org-migrations.ts';
import { isReservedSlug, slugFrom } from './slugs.ts';

/** The organization of a request, with its tables. */
export interface Org {
  id: string;
  slug: string;
  tables: OrgTables;
}

export interface OrgDirectory {
  /**
   * The org a request is addressed to (SPEC.md "Organization resolution").
   * @param host the Host header's name, see `hostName`
   * @param slugHeader `X-Org-Slug`, heeded in single-host mode only
   * @throws ApiError `tenant_error/not_found`; `server_error/unavailable` when the org's schema cannot be migrated
   */
  resolve(host: string, slugHeader: string | undefined): Promise<Org>;
  /**
   * Migrates every org that is behind, several at a time. One that fails is logged and left behind, unless that was the
   * database's fault: then it is tried again, until the database is back.
   */
  migrateAll(): Promise<void>;
}

/** What tells an org from others; its tables are made of it. */
type OrgName = Omit<Org, 'tables'>;

/** A custom domain set by an administrator is known everywhere after this time. */
const UNKNOWN_DOMAIN_MS = 10_000;

/** After this an organization that could not be migrated is tried again when somebody asks for it. */
const RETRY_MIGRATION_MS = 1_000;

/** What is remembered of organizations: plain data, which outlives the database it was read from. */
export type KnownOrgs = ReturnType<typeof createKnownOrgs>;

export const createKnownOrgs = () => ({
  tablesOf: perOrg(({ id }: { id: string }) => buildOrgTables(orgSchemaName(id))),
  // A slug is given once and for all. Custom domains move, so only their absence is remembered, and not for long.
  bySlug: new QuickLRU<string, OrgName>({ maxSize: 10_000, maxAge: 60_000 }),
  unknownDomains: new QuickLRU<string, true>({ maxSize: 1_000, maxAge: UNKNOWN_DOMAIN_MS }),
  failedLately: new QuickLRU<string, Error>({ maxSize: 1_000, maxAge: RETRY_MIGRATION_MS }),
});

export function createOrgDirectory(options: {
  database: Database;
  /** Connections of the database at the most. */
  max: number;
  baseDomain: string | undefined;
  migrations: readonly Migration[];
  known: KnownOrgs;
  log: Logger;
}): OrgDirectory {
  const { database, max, baseDomain, migrations, log } = options;
  const { db } = database;
  const { tablesOf, bySlug, unknownDomains, failedLately } = options.known;
  const migrating = new Map<string, Promise<void>>();

  async function find(where: SQL): Promise<OrgName | undefined> {
    const [row] = await db
      .select({ id: orgs.id, slug: orgs.slug, schemaVersion: orgs.schemaVersion })
      .from(orgs)
      .where(where);
    if (!row) return undefined;
    if (row.schemaVersion < migrations.length) {
      await migrateAsked(row.id).catch((cause) => {
        throw new ApiError('server_error/unavailable', {
          message: 'The organization is being upgraded.',
          cause,
        });
      });
    }
    return { id: row.id, slug: row.slug };
  }

  /** Each attempt locks tables: however often an organization is asked for, it is made now and then only. */
  async function migrateAsked(orgId: string): Promise<void> {
    const failure = failedLately.get(orgId);
    if (failure) throw failure;
    await migrateOnce(orgId).catch((error) => {
      if (!failedLately.has(orgId)) log.error('organization cannot be migrated', { org: orgId, error });
      failedLately.set(orgId, error);
      throw error;
    });
  }

  async function findSlug(slug: string): Promise<OrgName | undefined> {
    const known = bySlug.get(slug);
    if (known) return known;
    const found = await find(eq(orgs.slug, slug));
    if (found) bySlug.set(slug, found);
    return found;
  }

  async function findDomain(host: string): Promise<OrgName | undefined> {
    if (host === '' || unknownDomains.has(host)) return undefined;
    const found = await find(eq(orgs.customDomain, host));
    if (!found) unknownDomains.set(host, true);
    return found;
  }

  async function locate(host: string, slugHeader: string | undefined): Promise<OrgName | undefined> {
    if (baseDomain) {
      if (host === baseDomain) return undefined;
      const slug = subdomainOf(host, baseDomain);
      return slug === undefined ? findDomain(host) : findSlug(slug);
    }
    const found = await findDomain(host);
    return found ?? (slugHeader === undefined ? undefined : findSlug(slugHeader));
  }

  /** Requests that wait for the same org wait for one migration. */
  function migrateOnce(orgId: string): Promise<void> {
    let running = migrating.get(orgId);
    if (!running) {
      running = migrateOrg(database.sql, orgId, migrations).finally(() => migrating.delete(orgId));
      migrating.set(orgId, running);
    }
    return running;
  }

  return {
    async resolve(host, slugHeader) {
      const org = await locate(host, slugHeader);
      if (!org) throw new ApiError('tenant_error/not_found');
      return { ...org, tables: tablesOf(org) };
    },
    async migrateAll() {
      await migrateOrgs({
        db,
        // Half of the connections are for those who ask for something.
        atOnce: Math.max(1, Math.min(MIGRATIONS_AT_ONCE, Math.floor(max / 2))),
        version: migrations.length,
        migrate: migrateOnce,
        log,
      });
      await addSearchIndexes(database.sql, migrations, {
        onFailure: (org, error) => log.warn('searches of an organization are not indexed', { org, error }),
      });
    },
  };
}

/** A new organization as its creator asked for it. */
export interface NewOrg {
  id: string;
  name: string;
  slug: string;
  plan: (typeof orgs.$inferInsert)['plan'];
  ownerId: string;
  createdAt: Date;
}

/**
 * Inserts an organization, its owner's membership and its schema; part of the caller's transaction.
 * @returns the organization; undefined when the slug is taken
 */
export async function insertOrg(tx: Tx, org: NewOrg, migrations: readonly Migration[]) {
  const { id, name, slug, plan, ownerId, createdAt } = org;
  const [[inserted], [trigrams]] = await Promise.all([
    tx
      .insert(orgs)
      .values({ id, name, slug, plan, schemaVersion: migrations.length, createdBy: ownerId, createdAt })
      .onConflictDoNothing({ target: orgs.slug })
      .returning(orgFields),
    tx.execute<{ schema: string }>(sql.raw(SELECT_TRIGRAM_SCHEMA)),
  ]);
  if (!inserted) return undefined;
  const statements = orgSchemaStatements(id, migrations, trigrams?.schema);
  // Sent one behind the other without waiting: one round trip for all.
  await Promise.all([
    tx
      .insert(memberships)
      .values({ orgId: id, userId: ownerId, role: 'owner', confirmedAt: createdAt, createdAt }),
    ...statements.map((statement) => tx.execute(sql.raw(statement))),
    tx
      .insert(orgMigrations)
      .values(
        migrations.map((step) => ({ orgId: id, name: step.name, hash: step.hash, appliedAt: createdAt })),
      ),
  ]);
  return toResource(inserted);
}

/**
 * Slugs to try for a name, best first: the name's own, then the same with a random suffix, without end.
 * @param options.fallback stands in for a name without usable letters
 */
export function* slugCandidates(
  name: string,
  options: { fallback: string; minLength: number; isReserved?: (slug: string) => boolean },
): Generator<string, never> {
  const { fallback, minLength, isReserved } = options;
  const base = slugFrom(name);
  if (base.length >= minLength && !isReserved?.(base)) yield base;
  for (;;) yield `${base || fallback}-${crypto.randomUUID().slice(0, 6)}`;
}

/** The user's organizations with their role, newest first; without those where they are pending. */
export async function listOrgsOf({ db, services, user }: CookieCall, where?: SQL) {
  const rows = await db
    .select({ ...orgFields, role: memberships.role })
    .from(memberships)
    .innerJoin(orgs, eq(orgs.id, memberships.orgId))
    .innerJoin(userEmails, and(eq(userEmails.userId, memberships.userId), eq(userEmails.isPrimary, true)))
    .where(
      and(
        eq(memberships.userId, user.id),
        services.config.pendingInvitations ? isConfirmed : undefined,
        where,
      ),
    )
    .orderBy(desc(orgs.createdAt), desc(orgs.id));
  return rows.map(toResource);
}

/** Slugs to try for an organization's name. */
export const orgSlugCandidates = (name: string) =>
  slugCandidates(name, { fallback: 'org', minLength: 3, isReserved: isReservedSlug });
