import { expect, inject, vi } from 'vitest';
import { createIngest } from '../../../db/findings/ingest/ingest.ts';
import type { Migration } from '../../../db/migrations/migrate.ts';
import { outgoingMails } from '../../../db/schema/platform.ts';
import { createEngineDetection, type Engine } from '../../../db/server-facts.ts';
import { endpoints } from '../../../handlers/index.ts';
import type { PasswordHasher } from '../../../lib/accounts/passwords/passwords.ts';
import type { Config } from '../../../lib/config/config.ts';
import { parseConfig } from '../../../lib/config/parse.ts';
import { createApp } from '../../../lib/http/app.ts';
import type { Logger } from '../../../lib/logger.ts';
import type { Mail } from '../../../lib/mail/mailer.ts';
import { createServices } from '../../../lib/node/services.ts';
import type { ReportReader } from '../../../lib/reports/reader.ts';
import type { Services } from '../../../lib/services.ts';
import { type Api, createApi } from '../api/api.ts';
import { createDatabase } from '../database/database.ts';
import { preparedOrgMigrations } from '../database/prepared-orgs.ts';
import { openEdgeClient } from '../edge/client.ts';
import { afterSuite } from '../run/suite.ts';
import { plainHasher } from './hasher.ts';
import { silentLog } from './log.ts';

/** The methods of an app that tests call. */
export interface Called {
  request(input: string | Request, init?: RequestInit): Response | Promise<Response>;
  fetch(request: Request, bindings?: unknown): Response | Promise<Response>;
}

/** The app with its own database and a client: in process, or in workerd. */
export interface TestApp {
  app: Called;
  api: Api;
  /** The services of an app in process, over the same database. */
  services: Services;
  databaseUrl: string;
  /** Mails that were sent, oldest first; after a call, wait for them with `delivered()`. */
  mails: Mail[];
  /** Sends what is due; resolves with the last mail to this recipient. */
  delivered(recipient: string): Promise<Mail>;
  /** Moves the services' clock. */
  advance(ms: number): void;
}

export interface TestAppOptions {
  /** Environment variables over the defaults. */
  env?: Record<string, string>;
  log?: Logger;
  /** Another app over the same database. */
  databaseUrl?: string;
  orgMigrations?: readonly Migration[];
  config?: Partial<Config>;
  /** Takes the mails of another app over the same database, too. */
  mails?: Mail[];
  /** By default passwords are stored unhashed, which costs nothing. */
  hasher?: PasswordHasher;
  /** By default reports are read in processes, as on a server. */
  reports?: ReportReader;
  /** For whose tables pushes are written. Detected by default. */
  engine?: Engine | undefined;
}

export const JWT_SECRET = 'a secret for tests only with 32 bytes or more';

/** Starts an app for the calling suite; it is closed and its database dropped after the suite. */
export async function startApp(given: TestAppOptions = {}): Promise<TestApp> {
  // Parts of strict mode are tested without a mail provider.
  const options = { ...given, env: { SVC_REFUSE_INSECURE_SETTINGS: 'off', ...given.env } };
  const database = options.databaseUrl ? undefined : await createDatabase('prepared');
  const databaseUrl = options.databaseUrl ?? database?.url ?? '';
  let ahead = 0;
  const mails = options.mails ?? [];
  const services = await createServices({
    config: { ...parseConfig({ JWT_SECRET, ...options.env }), ...options.config },
    log: options.log ?? silentLog,
    databaseUrl,
    hasher: options.hasher ?? plainHasher,
    mailer: {
      name: 'test',
      async send(mail) {
        mails.push(mail);
      },
    },
    clock: () => new Date(Date.now() + ahead),
    ...(options.reports && { reports: options.reports }),
    ...(database && !inject('citus') && { orgMigrations: preparedOrgMigrations }),
    ...(options.orgMigrations && { orgMigrations: options.orgMigrations }),
  });
  const engine = options.engine ?? (process.env.SVC_TEST_ENGINE as Engine | undefined);
  if (engine) Object.assign(services, ingestFor(engine, services));
  afterSuite(async () => {
    services.eventFeeds.stop();
    await Promise.all([services.mail.stop(), services.outbox.stop()]);
    await Promise.all([services.database.close(), services.replica?.close()]);
    await database?.drop();
  });
  const app = inject('edgePort')
    ? await startOnEdge({ ...options, databaseUrl }, { services, mails, aheadMs: () => ahead })
    : createApp(services, endpoints);
  return {
    app,
    api: createApi((request) => app.request(request)),
    services,
    databaseUrl,
    mails,
    async delivered(recipient) {
      await services.mail.deliverDue();
      const find = () => mails.findLast((mail) => mail.recipient === recipient);
      // Another app over the same database may be sending it.
      return vi.waitUntil(find, { timeout: 5_000 }).catch(() => {
        throw new Error(`no mail to ${recipient}`);
      });
    },
    advance(ms) {
      ahead += ms;
    },
  };
}

function ingestFor(engine: Engine, { database, nextId, metrics, policies }: Services) {
  const ingestWith: Services['ingestWith'] = (ids) =>
    createIngest(database.withConnection, ids, {
      ...{ onBatch: metrics.batchWritten, policyCache: policies },
      engineOf: createEngineDetection(engine),
    });
  return { ingest: ingestWith(nextId), ingestWith };
}

/** The same app in workerd, which sends its mails itself: `services` only wait for them. */
async function startOnEdge(
  { env, log, databaseUrl, hasher }: TestAppOptions & { databaseUrl: string },
  { services, ...own }: { services: Services; mails: Mail[]; aheadMs: () => number },
): Promise<Called> {
  const edge = await openEdgeClient({
    ...own,
    databaseUrl,
    log: log ?? silentLog,
    plain: hasher === undefined,
    variables: {
      JWT_SECRET,
      // A base domain implies a default, as in process.
      ...(!services.config.baseDomain && { SVC_PUBLIC_URL: services.config.publicUrl }),
      ...env,
      LOG_LEVEL: log ? 'debug' : 'error',
      LOG_FORMAT: 'json',
    },
  });
  afterSuite(edge.close);
  services.mail.deliverDue = async () => {
    await vi.waitFor(async () => expect(await services.database.db.$count(outgoingMails)).toBe(0), 10_000);
    return 0;
  };
  return {
    request: (input, init) =>
      edge.fetch(input instanceof Request ? input : new Request(new URL(input, 'http://localhost'), init)),
    fetch: edge.fetch,
  };
}
