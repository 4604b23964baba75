#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { getConnInfo } from '@hono/node-server/conninfo';
import { serveStatic } from '@hono/node-server/serve-static';
import type { Context } from 'hono';
import { isAlmostFull } from './db/embedded/disk.ts';
import { EmbeddedUnavailable, startEmbedded } from './db/embedded/embedded.ts';
import { endpoints } from './handlers/index.ts';
import type { Config } from './lib/config/config.ts';
import { ConfigError, parseConfig } from './lib/config/parse.ts';
import { VERSION } from './lib/config/version.ts';
import { createApp, createRefusals } from './lib/http/app.ts';
import { createLogger, type Logger } from './lib/logger.ts';
import { housekeeping, startTasks } from './lib/maintenance/housekeeping.ts';
import { createNodeHasher } from './lib/node/argon2.ts';
import { createHttpServer } from './lib/node/http-server.ts';
import { createLineWriter } from './lib/node/line-writer.ts';
import { createNodeMailer } from './lib/node/mailer.ts';
import { prepareDatabase } from './lib/node/prepare-database.ts';
import { collectProcess } from './lib/node/process-metrics.ts';
import { createServices } from './lib/node/services.ts';
import { withTrialSecrets } from './lib/node/trial-secrets.ts';
import { warnOfExposure } from './lib/warnings/exposure.ts';
import { warnOfRemoved } from './lib/warnings/removed.ts';
import { warnOfUnknown } from './lib/warnings/unknown.ts';
import { warnOfUnset } from './lib/warnings/unset.ts';

/** For requests in progress. A stop takes ten seconds at most. */
const STOP_TIMEOUT_MS = 8_000;
/** For queries whose requests were aborted. */
const DATABASE_STOP_TIMEOUT_MS = 500;

/** The built web UI, whether this file runs from dist/ or from the source. */
const { dirname: here } = import.meta;
const PUBLIC = join(basename(here) === 'dist' ? here : join(here, 'dist'), 'public');

const lines = createLineWriter(process.stdout);

if (/^(?:-V|--version)$/.test(process.argv[2] ?? '')) {
  lines.write(`${VERSION}\n`);
  await lines.end();
  process.exit();
}

try {
  if (existsSync('.env')) process.loadEnvFile('.env');
  const parsed = parseConfig(process.env);
  const log = createLogger({ level: parsed.logLevel, format: parsed.logFormat, write: lines.write });
  warnOfRemoved(process.env, log);
  warnOfUnknown(process.env, log);
  await run(await withTrialSecrets(parsed, log), log);
} catch (error) {
  const { message, stack } = error as Error;
  const isExpected = error instanceof ConfigError || error instanceof EmbeddedUnavailable;
  await lines.end();
  process.stderr.write(`${isExpected ? message : (stack ?? message)}\n`);
  process.exit(1);
}

/** Node does it for the first stack trace, which postgres.js reads for any failed statement, and answers no request meanwhile. */
function decodeSourceMap(): void {
  void new Error('its stack trace is read').stack;
}

/** Starts everything in order. Stops it in reverse order on a signal or when a step fails. */
async function run(config: Config, log: Logger): Promise<void> {
  const started: Stop[] = [];
  let stopping: Promise<void> | undefined;
  const stop = async () => {
    for (const stopStep of started.reverse()) {
      await stopStep().catch((error) => log.error('not stopped in order', { error }));
    }
    log.info('stopped');
    await lines.end();
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      // A terminal's Ctrl-C arrives twice, from the terminal and from npm.
      if (stopping) return;
      log.info('stopping', { signal });
      stopping = stop();
    });
  }

  decodeSourceMap();
  try {
    warnOfUnset(config, log);
    const databaseUrl = config.databaseUrl ?? (await startDatabase(config, log, started));
    await prepareDatabase(databaseUrl, log, config.migrationUrl);
    const port = await serve(config, log, databaseUrl, started);
    warnOfExposure(config, log);
    log.info('listening', { version: VERSION, url: `http://${config.host ?? 'localhost'}:${port}` });
  } catch (error) {
    if (stopping) return stopping;
    for (const stopStep of started.reverse()) await stopStep().catch(() => {});
    throw error;
  }
}

/** Stops one of the things that `run` has started. */
type Stop = () => Promise<unknown>;

async function startDatabase(config: Config, log: Logger, started: Stop[]): Promise<string> {
  const starting = startEmbedded({ dataDir: config.dataDir, log });
  // Registered before it has started: a signal may arrive earlier.
  started.push(() =>
    starting.then(
      (embedded) => embedded.stop(),
      () => {},
    ),
  );
  return (await starting).url;
}

/** @returns the port */
async function serve(config: Config, log: Logger, databaseUrl: string, started: Stop[]): Promise<number> {
  const services = await createServices({
    config,
    log,
    databaseUrl,
    hasher: createNodeHasher({ concurrency: config.hashConcurrency }),
    mailer: createNodeMailer(config, log),
    remoteAddress,
    staticFiles: serveStatic({ root: PUBLIC, precompressed: true }),
    page: await readFile(join(PUBLIC, 'index.html'), 'utf8'),
    metrics: { collectRuntime: collectProcess },
    isDiskFull: config.databaseUrl === undefined ? () => isAlmostFull(config.dataDir) : undefined,
  });
  started.push(() =>
    Promise.all([
      services.database.close(DATABASE_STOP_TIMEOUT_MS),
      services.replica?.close(DATABASE_STOP_TIMEOUT_MS),
    ]),
  );

  const stopWatch = await services.workers.start();
  started.push(async () => stopWatch());
  const app = createApp(services, endpoints);
  const server = createHttpServer({ fetch: app.fetch, malformed: createRefusals(services), log });
  const port = await server.listen(config.port, config.host).catch((error) => {
    throw error.code === 'EADDRINUSE'
      ? new ConfigError(`SVC_PORT: port ${config.port} is in use already`)
      : error;
  });
  const stopTasks = startTasks(housekeeping(services), log);
  started.push(async () => {
    stopTasks();
    services.eventFeeds.stop();
    // Mails that these requests still queue are sent by the next process.
    const [aborted] = await Promise.all([
      server.stop(STOP_TIMEOUT_MS),
      services.mail.stop(),
      services.outbox.stop(),
    ]);
    if (aborted > 0) log.warn('requests were ended', { count: aborted });
    await services.reportLeases.stop();
  });
  return port;
}

function remoteAddress(c: Context): string {
  return getConnInfo(c).remote.address?.replace(/^::ffff:/, '') ?? '';
}
