import type { Context, MiddlewareHandler } from 'hono';
import type { Database, PoolGauges } from '../db/client.ts';
import { createIngest, type Ingest } from '../db/findings/ingest/ingest.ts';
import { createFindingPages, type FindingPages } from '../db/findings/lists/pages.ts';
import { createFindingReader, type FindingReader } from '../db/findings/lists/reader.ts';
import { createIds, type NewId } from '../db/ids.ts';
import type { Migration } from '../db/migrations/migrate.ts';
import { createPolicyCache, type PolicyCache } from '../db/policies/policies.ts';
import { createProjectMembers, type ProjectMembers } from '../db/projects/members.ts';
import { createReads, type Reads } from '../db/replica/reads.ts';
import type { Replica } from '../db/replica/replica.ts';
import { createEngineDetection, type EngineDetection } from '../db/server-facts.ts';
import { orgMigrations } from '../drizzle/migrations.ts';
import { type AuthLimits, createAuthLimits, noLimits } from './accounts/limits/limits.ts';
import { createEmailCodes, type EmailCodes } from './accounts/mfa/email-codes.ts';
import { createPasskeyChallenges, type PasskeyChallenges } from './accounts/passkeys/challenges.ts';
import type { PasswordHasher } from './accounts/passwords/passwords.ts';
import type { KnownAccounts } from './accounts/registration.ts';
import { createSessionLookUp, type SessionLookUp } from './accounts/sessions/look-up.ts';
import { createSignedTokens, type SignedTokens } from './accounts/sessions/signed-token.ts';
import { createRefusalCount, type RefusalCount } from './audit/refusals.ts';
import type { Config } from './config/config.ts';
import { deriveKeys } from './crypto/keys.ts';
import { randomHex } from './crypto/random.ts';
import { createSecretBox, type SecretBox } from './crypto/secret-box.ts';
import { createEventFeeds, type EventFeeds } from './events/feeds.ts';
import { createFollowedOrgs, type FollowedOrgs } from './events/followed.ts';
import { createOpenStreams, type OpenStreams } from './events/open-streams.ts';
import { createOutbox, type Outbox } from './events/outbox.ts';
import { loadEvents } from './events/render.ts';
import { createGate, type Gate } from './fair-share/gate.ts';
import { createKilledImports, type KilledImports } from './fair-share/killed-imports.ts';
import { createListPermits, type ListPermits } from './fair-share/list-permits.ts';
import {
  countedPermits,
  createConnectionShare,
  createWorkPermits,
  type Permits,
  type WorkPermits,
} from './fair-share/permits.ts';
import {
  createKnownRevisions,
  createRevisions,
  type KnownRevisions,
  type Revisions,
} from './findings/revisions.ts';
import type { BodyBudgets } from './http/request/held-body.ts';
import type { Logger } from './logger.ts';
import type { Mailer } from './mail/mailer.ts';
import { createMailQueue, type MailQueue } from './mail/queue.ts';
import { createMetrics, type Metrics, type MetricsOptions } from './metrics/metrics.ts';
import { routesNoted } from './metrics/read-routes.ts';
import { renderDigest } from './notifications/digest.ts';
import { takeMailTurn } from './notifications/turn.ts';
import { createUnsubscribeTokens, type UnsubscribeTokens } from './notifications/unsubscribe.ts';
import { createKnownOrgs, createOrgDirectory, type KnownOrgs, type OrgDirectory } from './orgs/directory.ts';
import { createWorkerWatch, type WorkerWatch } from './orgs/workers.ts';
import { createIssuers, type Issuers } from './outbound/issuers.ts';
import type { Outbound } from './outbound/outbound.ts';
import { createReportLeases, type ReportLeases } from './reports/leases.ts';
import type { ReportReader } from './reports/reader.ts';
import { createSsoProviders, type SsoProviders } from './sso/provider.ts';
import {
  createStorageQuotas,
  createStorageState,
  type StorageQuotas,
  type StorageState,
} from './storage/quotas.ts';
import { type ApiTokens, createApiTokens } from './tokens/api-tokens.ts';
import { type CiSecrets, createCiSecrets } from './tokens/ci/exchange.ts';
import { createPersonalTokens, type PersonalTokens } from './tokens/personal-tokens.ts';

export type Clock = () => Date;

/** Services without a connection: created once per process (on the edge per isolate), for all requests. */
export interface CoreServices {
  config: Config;
  log: Logger;
  clock: Clock;
  /** A new UUID v7 and its time. */
  nextId: () => NewId;
  /** The org track, applied to every new organization. */
  orgMigrations: readonly Migration[];
  /** The cache of organizations. */
  knownOrgs: KnownOrgs;
  knownAccounts: KnownAccounts;
  knownRevisions: KnownRevisions;
  followedOrgs: FollowedOrgs;
  openStreams: OpenStreams;
  /** The policies that pushes follow, as they were read last. */
  policies: PolicyCache;
  /** Whether the database is distributed. */
  engineOf: EngineDetection;
  hasher: PasswordHasher;
  mailer: Mailer;
  signedTokens: SignedTokens;
  /** For TOTP secrets, the client secrets of providers and the secrets of webhooks and integrations. */
  secretBox: SecretBox;
  /** For mails in the queue. */
  mailBox: SecretBox;
  emailCodes: EmailCodes;
  passkeyChallenges: PasskeyChallenges;
  ciSecrets: CiSecrets;
  unsubscribeTokens: UnsubscribeTokens;
  /** For cookies of sign-ins at providers, and ID tokens. */
  ssoBox: SecretBox;
  issuers: Issuers;
  sso: SsoProviders;
  outbound: Outbound;
  metrics: Metrics;
  /** The address of a request's peer; empty when unknown. */
  remoteAddress: (c: Context) => string;
  /** Answers with the file of a path, or not at all. */
  staticFiles: MiddlewareHandler | undefined;
  /** Unset: the runtime compresses responses itself. */
  gzip: Gzip | undefined;
  /** Unset: the runtime limits memory itself. */
  bodies: BodyBudgets | undefined;
  reports: ReportReader;
  killedImports: KilledImports;
  refusals: RefusalCount;
  storageState: StorageState;
  isDiskFull: (() => Promise<boolean>) | undefined;
  /** The page of the web UI, whatever its address: `index.html`. */
  page: string;
}

/** Everything an app needs from outside. On the edge, services over a database belong to one request. */
export interface Services extends CoreServices {
  database: Database;
  replica: Replica | undefined;
  reads: Reads;
  orgs: OrgDirectory;
  sessions: SessionLookUp;
  limits: AuthLimits;
  mail: MailQueue;
  outbox: Outbox;
  eventFeeds: EventFeeds;
  /** For whole lists, which keep a connection for as long as they are read. */
  listPermits: ListPermits;
  /** For every request to an organization. */
  gate: Gate;
  /** For searches and changes of many findings, which keep a processor of PostgreSQL's. */
  searchPermits: Permits;
  /** For reading reports. */
  reportPermits: Permits;
  reportLeases: ReportLeases;
  storage: StorageQuotas;
  apiTokens: ApiTokens;
  personalTokens: PersonalTokens;
  projectMembers: ProjectMembers;
  ingest: Ingest;
  /** Pushes with ids, and so times, of another source. */
  ingestWith: (nextId: () => NewId) => Ingest;
  readFinding: FindingReader;
  findingPages: FindingPages;
  revisions: Revisions;
  workers: WorkerWatch;
}

/** Compresses bytes in the gzip format (RFC 1952). */
export type Gzip = (bytes: Uint8Array) => Uint8Array<ArrayBuffer>;

/** The dependencies that differ between Node, the edge and tests. */
export interface Platform {
  config: Config;
  log: Logger;
  hasher: PasswordHasher;
  mailer: Mailer;
  reports: ReportReader;
  outbound: Outbound;
  remoteAddress?: (c: Context) => string;
  staticFiles?: MiddlewareHandler;
  gzip?: Gzip;
  bodies?: BodyBudgets;
  page?: string;
  clock?: Clock;
  orgMigrations?: readonly Migration[];
  metrics?: MetricsOptions;
  /** Whether the disk of the database is almost full. Unset: not known. */
  isDiskFull?: (() => Promise<boolean>) | undefined;
  /** Seals queued mails while neither `SVC_ENCRYPTION_KEY` nor `JWT_SECRET` is set. */
  mailSecret?: string | undefined;
}

/**
 * The box for queued mails: sealed with `SVC_ENCRYPTION_KEY`, else `JWT_SECRET`, else the secret of this machine. All of them
 * open, so that a mail outlives the setting of another.
 */
export function createMailBox(
  { encryptionKeys, jwtSecrets }: Pick<Config, 'encryptionKeys' | 'jwtSecrets'>,
  mailSecret: string | undefined,
): SecretBox {
  const secrets = [...encryptionKeys, ...jwtSecrets, ...(mailSecret === undefined ? [] : [mailSecret])];
  return createSecretBox(deriveKeys(secrets, 'mail queue'));
}

const NO_PAGE =
  '<!doctype html><html lang="en"><title>svc-findings</title><p>This server comes without the web UI. The API is below /api/v1.</p></html>';

/** @param pool the connections of this process, counted when somebody asks */
export async function createCore(platform: Platform, pool: () => PoolGauges): Promise<CoreServices> {
  const { config, clock = () => new Date(), remoteAddress = () => '' } = platform;
  const nextId = createIds(clock);
  const { mailSecret = randomHex(32) } = platform;
  const issuers = createIssuers(platform.outbound);
  const secrets = config.jwtSecrets.length > 0 ? config.jwtSecrets : [randomHex(32)];
  return {
    config,
    log: platform.log,
    clock,
    nextId,
    orgMigrations: platform.orgMigrations ?? orgMigrations,
    knownOrgs: createKnownOrgs(),
    knownAccounts: { any: false },
    knownRevisions: createKnownRevisions(),
    followedOrgs: createFollowedOrgs(),
    openStreams: createOpenStreams(),
    policies: createPolicyCache(),
    engineOf: createEngineDetection(),
    hasher: platform.hasher,
    mailer: platform.mailer,
    reports: platform.reports,
    killedImports: createKilledImports(),
    refusals: createRefusalCount(clock),
    storageState: createStorageState(),
    isDiskFull: platform.isDiskFull,
    signedTokens: await createSignedTokens(secrets),
    secretBox: createSecretBox(deriveKeys(config.encryptionKeys, 'totp secrets')),
    mailBox: createMailBox(config, mailSecret),
    emailCodes: createEmailCodes(deriveKeys(secrets, 'e-mail codes'), nextId),
    passkeyChallenges: createPasskeyChallenges(deriveKeys(secrets, 'passkey challenges')),
    ciSecrets: createCiSecrets(deriveKeys(secrets, 'ci tokens')),
    unsubscribeTokens: createUnsubscribeTokens(deriveKeys(secrets, 'unsubscribe links')),
    ssoBox: createSecretBox(deriveKeys(secrets, 'sso sign-ins')),
    issuers,
    sso: createSsoProviders({ issuers, outbound: platform.outbound }, config.sso),
    outbound: platform.outbound,
    metrics: createMetrics(pool, { hashing: platform.hasher.load, ...platform.metrics }),
    remoteAddress,
    staticFiles: platform.staticFiles,
    gzip: platform.gzip,
    bodies: platform.bodies,
    page: platform.page ?? NO_PAGE,
  };
}

/** The database of services, and its limits. */
export interface Connection {
  database: Database;
  /** Connections it has at the most. */
  max: number;
  replica?: Replica | undefined;
  /** The permits that all of an isolate's connections share. Unset: own permits for `max` connections. */
  permits?: WorkPermits;
  /** Destinations that events are sent to at the same time. Unset: the default of a server. */
  destinations?: number;
  /** Keeps the runtime alive until a task that outlives its request is done (`waitUntil`). */
  background?: (task: Promise<unknown>) => void;
}

/** Wires the services over a database; nothing connects before the first query. */
export function connectServices(core: CoreServices, connection: Connection): Services {
  const { config, log, clock, nextId, mailer, metrics } = core;
  const { database, max, replica, background } = connection;
  const gate = createGate();
  const permits = countedPermits(
    connection.permits ?? createWorkPermits(max, gate.isShared, core.reports.atOnce),
    metrics,
  );
  const { db } = database;
  const tablesOf = core.knownOrgs.tablesOf;
  const digests = { config, database, tablesOf, unsubscribeTokens: core.unsubscribeTokens };
  const mail = createMailQueue({
    ...{ db, mailer, log, clock, nextId, background },
    box: core.mailBox,
    renderDigest: (digest) => renderDigest(digests, digest),
    onOutcome: metrics.mailTried,
  });
  // For pushes and for look-ups of tokens: few carry more at a time than many, and leave PostgreSQL the processors.
  const third = Math.ceil(max / 3);
  const ingestWith = (ids: () => NewId): Ingest =>
    createIngest(createConnectionShare(database.withConnection, third), ids, {
      onBatch: metrics.batchWritten,
      policyCache: core.policies,
      engineOf: core.engineOf,
    });
  const orgs = createOrgDirectory({
    ...{ database, log, max },
    baseDomain: config.baseDomain,
    migrations: core.orgMigrations,
    known: core.knownOrgs,
  });
  const mailTurn = { ...digests, clock, log, mail };
  const outbox = createOutbox({
    ...{ config, database, log, clock, nextId, background, mail },
    ...{ tablesOf, version: core.orgMigrations.length, followed: core.followedOrgs },
    takeMailTurn: (destination) => takeMailTurn(mailTurn, destination),
    ...{ outbound: core.outbound, secretBox: core.secretBox, onOutcome: metrics.deliveryTried },
    slots: connection.destinations,
    load: (org, events) => loadEvents({ sql: database.sql, org, config }, events),
  });
  return {
    ...core,
    database,
    replica,
    reads: createReads({ primary: database, replica, onRouted: routesNoted(metrics, log) }),
    orgs,
    sessions: createSessionLookUp(database),
    limits: config.authLimits ? createAuthLimits(db) : noLimits,
    mail,
    outbox,
    eventFeeds: createEventFeeds({ database, orgs, config, log, publish: outbox.publish, background }),
    apiTokens: createApiTokens(database, createConnectionShare(database.withConnection, third), clock),
    personalTokens: createPersonalTokens(database, clock),
    projectMembers: createProjectMembers(database),
    ingest: ingestWith(nextId),
    ingestWith,
    readFinding: createFindingReader(database),
    findingPages: createFindingPages(database),
    revisions: createRevisions(database, core.knownRevisions),
    workers: createWorkerWatch(database, core.engineOf, (down) =>
      log.warn(down.length > 0 ? 'workers of Citus are down' : 'all workers of Citus respond', { down }),
    ),
    listPermits: createListPermits(permits.list),
    searchPermits: permits.search,
    reportPermits: permits.report,
    storage: createStorageQuotas({
      ...{ sql: database.sql, engineOf: core.engineOf, tablesOf: core.knownOrgs.tablesOf, log, background },
      ...{ quota: config.storage, state: core.storageState, isDiskFull: core.isDiskFull },
      onRefused: metrics.storageRefused,
    }),
    reportLeases: createReportLeases({ sql: database.sql, nextId, log }),
    gate,
  };
}
