import { eq, type SQL, sql } from 'drizzle-orm';
import QuickLRU from 'quick-lru';
import type { Database } from '../../db/client.ts';
import { prepareEmptyTables } from '../../db/migrations/empty-tables.ts';
import { type Migration, migrateOrg } from '../../db/migrations/migrate.ts';
import { hasOrgSlug } from '../../db/orgs/slugs.ts';
import { isBehind } from '../../db/orgs/tables.ts';
import { defineOrgTables, type OrgTables } from '../../db/schema/org.ts';
import { orgSchemaName, perOrg } from '../../db/schema/org-schema.ts';
import { orgDeletions, orgs } from '../../db/schema/orgs.ts';
import { shareOf } from '../../db/storage/usage.ts';
import { ApiError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import { indexOrgs, MIGRATIONS_AT_ONCE, migrateOrgs } from './migrations.ts';
import { subdomainOf } from './slugs.ts';

const UNNAMED = {
  message: 'No organization answers at this address. Name one in the header X-Org-Slug (svc-agent: SVC_ORG).',
};

/** The organization of a request, with its tables or, as long as it has none, those of `db/migrations/empty-tables.ts`. */
export interface Org {
  id: string;
  slug: string;
  /** The user who created it, whose share of the service it uses. Unset: it has a share of its own. */
  account?: string | undefined;
  tables: OrgTables;
}

export interface OrgDirectory {
  /**
   * The org a request is addressed to (API contract, "Organization resolution").
   * @param host the Host header's name, see `hostName`
   * @param slugHeader `X-Org-Slug`, heeded in single-host mode only
   * @throws ApiError `tenant_error/not_found`; `server_error/unavailable` when the org's schema cannot be migrated
   */
  resolve(host: string, slugHeader: string | undefined): Promise<Org>;
  /** The organization with this slug or former slug, deleted or not. */
  named(slug: string): Promise<Org | undefined>;
  /** Forgets the addresses of an organization whose slug or state has changed; other processes know them for a minute. */
  forget(orgId: string): void;
  /**
   * Migrates every org that is behind, several at a time, then creates the indexes that organizations lack. One that fails is
   * logged and left behind, unless that was the database's fault: then it is tried again, until the database is back.
   */
  migrateAll(): Promise<void>;
  /** Creates the indexes that migrated organizations lack. */
  createIndexes(): Promise<void>;
}

/** The identity of an organization; its tables are defined from it. */
type OrgName = Omit<Org, 'tables'>;

interface FoundOrg extends OrgName {
  deleted: boolean;
  /** Its tables are created by its first write. */
  hasTables: boolean;
}

/** A custom domain set by an administrator is known everywhere after this time. */
const UNKNOWN_DOMAIN_MS = 10_000;

/** After this an organization that could not be migrated is tried again when somebody asks for it. */
const RETRY_MIGRATION_MS = 1_000;

/** The cache of organizations: plain data, which outlives the database it was read from. */
export type KnownOrgs = ReturnType<typeof createKnownOrgs>;

export const createKnownOrgs = () => ({
  tablesOf: perOrg(({ id }: { id: string }) => defineOrgTables(orgSchemaName(id))),
  // A slug never leads to another organization (`db/orgs/slugs.ts`). Custom domains move, so only their absence is remembered, and not for long.
  bySlug: new QuickLRU<string, OrgName>({ maxSize: 10_000, maxAge: 60_000 }),
  unknownDomains: new QuickLRU<string, true>({ maxSize: 1_000, maxAge: UNKNOWN_DOMAIN_MS }),
  failedLately: new QuickLRU<string, Error>({ maxSize: 1_000, maxAge: RETRY_MIGRATION_MS }),
  /** The tables of organizations without tables of their own, once this process knows that they exist. */
  emptyTables: undefined as OrgTables | undefined,
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
  const { database, max, baseDomain, migrations, known, log } = options;
  const { db } = database;
  const { tablesOf, bySlug, unknownDomains, failedLately } = known;
  const migrating = new Map<string, Promise<void>>();

  async function find(where: SQL): Promise<FoundOrg | undefined> {
    const [row] = await db
      .select({
        id: orgs.id,
        slug: orgs.slug,
        account: shareOf,
        schemaVersion: orgs.schemaVersion,
        deleted: sql<boolean>`${orgDeletions.orgId} is not null`,
      })
      .from(orgs)
      .leftJoin(orgDeletions, eq(orgDeletions.orgId, orgs.id))
      .where(where);
    if (!row) return undefined;
    const { id, slug, account, schemaVersion, deleted } = row;
    if (isBehind(schemaVersion, migrations)) {
      await migrateAsked(id).catch((cause) => {
        throw new ApiError('server_error/unavailable', {
          message: 'The organization is being upgraded.',
          cause,
        });
      });
    }
    return { id, slug, account: account ?? undefined, deleted, hasTables: schemaVersion > 0 };
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

  async function findSlug(slug: string): Promise<Org | undefined> {
    const cached = bySlug.get(slug);
    if (cached) return withTables(cached);
    const found = await find(hasOrgSlug(slug));
    // Deleted organizations are not kept, so that no process knows one that is purged. Nor are those without tables, so that
    // every process sees at once that another one has created them.
    if (found && !found.deleted && found.hasTables) bySlug.set(slug, found);
    return found && toOrg(found);
  }

  async function findDomain(host: string): Promise<Org | undefined> {
    if (host === '' || unknownDomains.has(host)) return undefined;
    const found = await find(eq(orgs.customDomain, host));
    if (found) return toOrg(found);
    unknownDomains.set(host, true);
    return undefined;
  }

  async function locate(host: string, slugHeader: string | undefined): Promise<Org | undefined> {
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

  const withTables = ({ id, slug, account }: OrgName): Org => ({
    id,
    slug,
    account,
    tables: tablesOf({ id }),
  });

  async function toOrg(found: FoundOrg): Promise<Org> {
    if (found.hasTables) return withTables(found);
    known.emptyTables ??= await prepareEmptyTables(database.sql, migrations).catch((cause) => {
      log.error('the tables of organizations without tables cannot be created', { error: cause });
      throw new ApiError('server_error/unavailable', { cause });
    });
    const { id, slug, account } = found;
    return { id, slug, account, tables: known.emptyTables };
  }

  const createIndexes = () => indexOrgs(database, migrations, log);

  return {
    async resolve(host, slugHeader) {
      const org = await locate(host, slugHeader);
      if (!org)
        throw new ApiError('tenant_error/not_found', !baseDomain && slugHeader === undefined ? UNNAMED : {});
      return org;
    },
    named: findSlug,
    forget(orgId) {
      for (const [slug, org] of bySlug) if (org.id === orgId) bySlug.delete(slug);
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
      await createIndexes();
    },
    createIndexes,
  };
}
