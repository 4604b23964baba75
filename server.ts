#!/usr/bin/env node
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { getConnInfo } from '@hono/node-server/conninfo';
import { serveStatic } from '@hono/node-server/serve-static';
import type { Context } from 'hono';
import { EmbeddedUnavailable, startEmbedded } from './db/embedded/embedded.ts';
import { endpoints } from './handlers/index.ts';
import type { Config } from './lib/config/config.ts';
import { ConfigError, parseConfig } from './lib/config/parse.ts';
import { createApp, createRefusals } from './lib/http/app.ts';
import { createLogger, type Logger } from './lib/logger.ts';
import { housekeeping, startTasks } from './lib/maintenance/housekeeping.ts';
import { createNodeHasher, defaultConcurrency } from './lib/node/argon2.ts';
import { createHttpServer } from './lib/node/http-server.ts';
import { createLineWriter } from './lib/node/line-writer.ts';
import { createNodeMailer } from './lib/node/mailer.ts';
import { prepareDatabase } from './lib/node/prepare-database.ts';
import { collectProcess } from './lib/node/process-metrics.ts';
import { createServices } from './lib/node/services.ts';
import { connectPrimary } from './lib/node/worker.ts';
import { createWorkers, WorkerFailed } from './lib/node/workers.ts';
import { warnOfUnset } from './lib/services.ts';
import { warnOfExposure } from './lib/warnings/exposure.ts';

/** For the requests under way; a worker may be given less. All that is stopped together takes ten seconds at most. */
const STOP_TIMEOUT_MS = 8_000;
/** For queries that nobody waits for any more. */
const DATABASE_STOP_TIMEOUT_MS = 500;
/** For the primary to hand over what has connected (two seconds at most), and for the workers to stop. */
const WORKERS_STOP_TIMEOUT_MS = 9_500;
/** What a worker needs of it behind its last request. */
const WORKER_END_MS = 1_500;

/** What the build has put there, whether this runs from dist/ or from its source. */
const { dirname: here } = import.meta;
const PUBLIC = join(basename(here) === 'dist' ? here : join(here, 'dist'), 'public');

const lines = createLineWriter(process.stdout);

// With SVC_WORKERS this file runs several times: as the primary, and by it as workers, which are told their number.
const workerNumber = process.send ? Number(process.env.SVC_WORKER ?? 0) : 0;
const primary = workerNumber > 0 ? connectPrimary() : undefined;

try {
  // A worker has it from the primary; the file may have changed since.
  if (!primary && existsSync('.env')) process.loadEnvFile('.env');
  const config = parseConfig(process.env);
  const log = createLogger({ level: config.logLevel, format: config.logFormat, write: lines.write });
  await run(config, log);
} catch (error) {
  const expected = [ConfigError, EmbeddedUnavailable, WorkerFailed].some((kind) => error instanceof kind);
  const { message, stack } = error as Error;
  const reason = (expected ? message : stack) ?? message;
  await lines.end();
  if (primary) await primary.failed(reason);
  else process.stderr.write(`${reason}\n`);
  process.exit(1);
}

/** Starts everything in order, and stops it in the reverse order on a signal or when a step fails. */
async function run(config: Config, log: Logger): Promise<void> {
  const started: Undo[] = [];
  let stopping: Promise<void> | undefined;
  const stop = (code: number) => {
    // A terminal's Ctrl-C reaches us twice, from the terminal and from npm.
    stopping ??= (async () => {
      for (const undo of started.reverse()) {
        await undo().catch((error) => log.error('not stopped in order', { error }));
      }
      if (!primary) log.info('stopped');
      await lines.end();
      process.exit(code);
    })();
    return stopping;
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      // Workers often get the same signal as the primary, which is the one to tell them.
      if (primary) return;
      if (!stopping) log.info('stopping', { signal });
      void stop(0);
    });
  }
  let requestsMs = STOP_TIMEOUT_MS;
  void primary?.stopped.then((timeoutMs) => {
    requestsMs = Math.min(requestsMs, timeoutMs - WORKER_END_MS);
    return stop(0);
  });

  try {
    if (!primary) warnOfUnset(config, log);
    const databaseUrl = config.databaseUrl ?? (await startDatabase(config, log, started));
    if (!primary) await prepareDatabase(databaseUrl, log);
    const step = { config, log, databaseUrl, started, requestsMs: () => requestsMs };
    const port = await (primary || config.workers === 1 ? serve(step) : serveByWorkers(step)).catch(
      (error) => {
        throw error.code === 'EADDRINUSE'
          ? new ConfigError(`SVC_PORT: port ${config.port} is in use already`)
          : error;
      },
    );
    if (!primary) warnOfExposure(config, log);
    if (!primary) log.info('listening', { url: `http://${config.host ?? 'localhost'}:${port}` });
  } catch (error) {
    if (stopping) return stopping;
    for (const undo of started.reverse()) await undo().catch(() => {});
    throw error;
  }
}

type Undo = () => Promise<unknown>;

interface Step {
  config: Config;
  log: Logger;
  databaseUrl: string;
  /** What has been started, each with how it is stopped. */
  started: Undo[];
  /** How long requests under way may take when it stops. */
  requestsMs: () => number;
}

/** Serves in this process; resolves with the port. */
async function serve({ config, log, databaseUrl, started, requestsMs }: Step): Promise<number> {
  const services = await createServices({
    config,
    log,
    databaseUrl,
    hasher: createNodeHasher({ concurrency: config.hashConcurrency ?? defaultConcurrency(config.workers) }),
    mailer: createNodeMailer(config, log),
    remoteAddress,
    staticFiles: serveStatic({ root: PUBLIC, precompressed: true }),
    page: await readFile(join(PUBLIC, 'index.html'), 'utf8'),
    metrics: { collectRuntime: collectProcess, renderAll: primary?.metrics },
    // Workers share sessions.
    ephemeralSecret: primary ? process.env.SVC_WORKER_SECRET : undefined,
  });
  started.push(() => services.database.close(DATABASE_STOP_TIMEOUT_MS));

  const app = createApp(services, endpoints);
  const server = createHttpServer({ fetch: app.fetch, malformed: createRefusals(services), log });
  const port = primary ? config.port : await server.listen(config.port, config.host);
  // Once is enough for all workers.
  const stopTasks = workerNumber <= 1 ? startTasks(housekeeping(services), log) : () => {};
  started.push(async () => {
    stopTasks();
    // What requests under way still put into the queue is sent by the next process.
    const [ended] = await Promise.all([server.stop(requestsMs()), services.mail.stop()]);
    if (ended > 0) log.warn('requests were ended', { count: ended });
  });
  primary?.ready({ take: server.take, readMetrics: services.metrics.read });
  return port;
}

/** Serves in several processes, for which this one does what is done once; resolves with the port. */
async function serveByWorkers({ config, log, databaseUrl, started }: Step): Promise<number> {
  const ephemeralSecret = randomBytes(32).toString('hex');
  const workers = createWorkers({
    file: import.meta.filename,
    count: config.workers,
    env: (number) => ({
      ...process.env,
      DATABASE_URL: databaseUrl,
      SVC_WORKER_SECRET: ephemeralSecret,
      SVC_WORKER: `${number}`,
    }),
    stopTimeoutMs: WORKERS_STOP_TIMEOUT_MS,
    log,
  });
  started.push(workers.stop);
  return workers.start(config.port, config.host);
}

async function startDatabase(config: Config, log: Logger, started: Undo[]): Promise<string> {
  const starting = startEmbedded({ dataDir: config.dataDir, log });
  // Also when the signal comes while it starts.
  started.push(() =>
    starting.then(
      (embedded) => embedded.stop(),
      () => {},
    ),
  );
  return (await starting).url;
}

function remoteAddress(c: Context): string {
  return getConnInfo(c).remote.address?.replace(/^::ffff:/, '') ?? '';
}
