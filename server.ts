import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { getConnInfo } from '@hono/node-server/conninfo';
import { serveStatic } from '@hono/node-server/serve-static';
import type { Context } from 'hono';
import { EmbeddedUnavailable, startEmbedded } from './db/embedded.ts';
import { isUnavailable } from './db/errors.ts';
import { migrateShared } from './db/migrate.ts';
import { sharedMigrations } from './drizzle/migrations.ts';
import { endpoints } from './handlers/index.ts';
import { type Config, ConfigError, parseConfig } from './lib/config.ts';
import { createApp, refuseMalformed } from './lib/http/app.ts';
import { createLogger, type Logger } from './lib/logger.ts';
import { createNodeHasher } from './lib/node/argon2.ts';
import { startHttpServer } from './lib/node/http-server.ts';
import { createLineWriter } from './lib/node/line-writer.ts';
import { createNodeMailer } from './lib/node/mailer.ts';
import { purgeExpired } from './lib/purge.ts';
import { createServices, type Services } from './lib/services.ts';

const STOP_TIMEOUT_MS = 10_000;
const DATABASE_WAIT_MS = 30_000;
const PURGE_MS = 60 * 60 * 1000;

/** What the build has put there, whether this runs from dist/ or from its source. */
const { dirname: here } = import.meta;
const PUBLIC = join(basename(here) === 'dist' ? here : join(here, 'dist'), 'public');

const lines = createLineWriter(process.stdout);

try {
  if (existsSync('.env')) process.loadEnvFile('.env');
  const config = parseConfig(process.env);
  const log = createLogger({ level: config.logLevel, format: config.logFormat, write: lines.write });
  await run(config, log);
} catch (error) {
  lines.flush();
  const expected = error instanceof ConfigError || error instanceof EmbeddedUnavailable;
  process.stderr.write(`${expected ? error.message : (error as Error).stack}\n`);
  process.exit(1);
}

/** Starts everything in order, and stops it in the reverse order on a signal or when a step fails. */
async function run(config: Config, log: Logger): Promise<void> {
  const started: (() => Promise<unknown>)[] = [];
  let stopping: Promise<void> | undefined;
  const stop = (code: number) => {
    // A terminal's Ctrl-C reaches us twice, from the terminal and from npm.
    stopping ??= (async () => {
      for (const undo of started.reverse()) {
        await undo().catch((error) => log.error('not stopped in order', { error }));
      }
      log.info('stopped');
      lines.flush();
      process.exit(code);
    })();
    return stopping;
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (!stopping) log.info('stopping', { signal });
      void stop(0);
    });
  }

  try {
    const databaseUrl = config.databaseUrl ?? (await startDatabase(config, log, started));
    const services = await createServices({
      config,
      log,
      databaseUrl,
      hasher: createNodeHasher(),
      mailer: createNodeMailer(config, log),
      remoteAddress,
      staticFiles: serveStatic({ root: PUBLIC, precompressed: true }),
    });
    started.push(() => services.database.close());
    await prepareDatabase(services);

    const { port, host } = config;
    const app = createApp(services, endpoints);
    const server = await startHttpServer({ fetch: app.fetch, port, host, malformed: refuseMalformed }).catch(
      (error) => {
        throw error.code === 'EADDRINUSE'
          ? new ConfigError(`SVC_PORT: port ${port} is in use already`)
          : error;
      },
    );
    services.mail.start();
    const purge = () =>
      purgeExpired(services.database.db, services.clock()).catch((error) =>
        log.warn('not purged', { error }),
      );
    setInterval(purge, PURGE_MS).unref();
    started.push(async () => {
      // What requests under way still put into the queue is sent by the next process.
      const [ended] = await Promise.all([server.stop(STOP_TIMEOUT_MS), services.mail.stop()]);
      if (ended > 0) log.warn('requests were ended', { count: ended });
    });
    log.info('listening', { url: `http://${host ?? 'localhost'}:${server.port}` });
    // What is behind is also migrated when a request names it.
    services.orgs.migrateAll().catch((error) => log.error('organizations were not migrated', { error }));
  } catch (error) {
    if (stopping) return stopping;
    for (const undo of started.reverse()) await undo().catch(() => {});
    throw error;
  }
}

async function startDatabase(
  config: Config,
  log: Logger,
  started: (() => Promise<unknown>)[],
): Promise<string> {
  const embedded = await startEmbedded({ dataDir: config.dataDir, log });
  started.push(() => embedded.stop());
  return embedded.url;
}

/** Migrates `shared`, waiting for a database that is still on its way up. */
async function prepareDatabase({ database, log }: Services): Promise<void> {
  const deadline = Date.now() + DATABASE_WAIT_MS;
  for (;;) {
    try {
      return await migrateShared(database.sql, sharedMigrations);
    } catch (error) {
      if (!isUnavailable(error) || Date.now() > deadline) throw error;
      log.warn('waiting for the database', { reason: (error as Error).message });
      await sleep(1_000);
    }
  }
}

function remoteAddress(c: Context): string {
  return getConnInfo(c).remote.address?.replace(/^::ffff:/, '') ?? '';
}
