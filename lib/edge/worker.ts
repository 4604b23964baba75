import type { Context, MiddlewareHandler } from 'hono';
import type { PasswordHasher } from '../accounts/passwords/passwords.ts';
import { ConfigError } from '../config/parse.ts';
import { ApiError } from '../errors.ts';
import { type App, createApp } from '../http/app.ts';
import type { Endpoints } from '../http/endpoint.ts';
import { createRequestIds } from '../http/request/request-id.ts';
import { respondError } from '../http/respond.ts';
import { createLogger } from '../logger.ts';
import { housekeeping, runDueTasks } from '../maintenance/housekeeping.ts';
import { type Clock, type CoreServices, connectServices, createCore, type Services } from '../services.ts';
import { warnOfExposure } from '../warnings/exposure.ts';
import { type Env, parseEdgeConfig, warnOfUnset } from './config.ts';
import {
  type Activity,
  CONNECTIONS,
  DESTINATIONS,
  gaugesOf,
  openDatabase,
  type RequestDatabase,
} from './database.ts';
import { createEdgeMailer } from './mailer.ts';
import { createEdgeOutbound } from './outbound.ts';
import { noPermitsTaken, permitsOf, type TakenPermits } from './permits.ts';
import { createEdgeReportReader } from './reports.ts';

/** The parts that the entry file provides. */
export interface Parts {
  endpoints: Endpoints;
  hasher: PasswordHasher;
  /** `index.html` of the web UI. */
  page: string;
  /** Writes a log line. */
  write(line: string): void;
  clock?: Clock;
}

/** Cloudflare's execution context: keeps the runtime alive after the response. */
export interface Execution {
  waitUntil(task: Promise<unknown>): void;
}

/** The handlers of a Cloudflare worker. */
export interface Worker {
  fetch(request: Request, env: Env, execution: Execution): Promise<Response>;
  scheduled(event: { scheduledTime: number }, env: Env, execution: Execution): Promise<void>;
}

/** The state of an isolate, which holds no connection. */
interface Isolate {
  core: CoreServices;
  app: App;
  activity: Activity;
  permits: TakenPermits;
}

/** The environment of a request. Its services are created on first use. */
interface Bindings {
  services(): Services;
}

/**
 * Creates the service as a worker. workerd binds connections, timers and their promises to one request, so every request has
 * its own {@link Services} on top of shared {@link CoreServices}.
 */
export function createWorker(parts: Parts): Worker {
  let cached: Isolate | undefined;

  async function isolateOf(env: Env): Promise<Isolate> {
    if (cached) return cached;
    // Concurrent requests each prepare one, because a request cannot wait for another's promise.
    const prepared = await prepare(env, parts);
    cached ??= prepared;
    return cached;
  }

  return {
    async fetch(request, env, execution) {
      const isolate = await isolateOf(env).catch((error) => answerStartFailure(error, parts));
      if (isolate instanceof Response) return isolate;
      const { services, end } = connecting(isolate, env);
      try {
        return await isolate.app.fetch(request, { services });
      } finally {
        execution.waitUntil(end());
      }
    },
    async scheduled({ scheduledTime }, env) {
      const isolate = await isolateOf(env);
      const { services, end } = connecting(isolate, env);
      try {
        const connected = services();
        await runDueTasks(housekeeping(connected), new Date(scheduledTime), connected.log);
        // Ends migrations that take longer; the next invocation continues.
        await connected.database.close();
      } catch (error) {
        isolate.core.log.error('the cron trigger failed', { error });
        throw error;
      } finally {
        await end();
      }
    },
  };
}

async function prepare(env: Env, { endpoints, hasher, page, write, clock }: Parts): Promise<Isolate> {
  const config = parseEdgeConfig(env);
  const log = createLogger({ level: config.logLevel, format: config.logFormat, write });
  const activity: Activity = { inUse: 0 };
  const core = await createCore(
    {
      ...{ config, log, hasher, page },
      ...(clock && { clock }),
      mailer: createEdgeMailer(config, log),
      reports: createEdgeReportReader(config.maxReport),
      outbound: createEdgeOutbound(config),
      remoteAddress: (c) => c.req.header('cf-connecting-ip') ?? '',
      staticFiles: staticFiles(env),
    },
    () => gaugesOf(activity),
  );
  warnOfUnset(config, log);
  warnOfExposure(config, log, { listens: false });
  const servicesOf = (c: Context) => (c.env as Bindings).services();
  return { core, activity, permits: noPermitsTaken(), app: createApp(core, endpoints, servicesOf) };
}

/** Services whose database is opened on first use. */
function connecting({ core, activity, permits }: Isolate, env: Env) {
  let database: RequestDatabase | undefined;
  let services: Services | undefined;
  const tasks: Promise<unknown>[] = [];
  return {
    services(): Services {
      if (services) return services;
      database = openDatabase(env.HYPERDRIVE.connectionString, activity);
      services = connectServices(core, {
        database,
        max: CONNECTIONS,
        destinations: DESTINATIONS,
        permits: permitsOf(permits),
        background: (task) => tasks.push(task),
      });
      return services;
    },
    /** Waits for background tasks and queries, then closes the connections. */
    async end(): Promise<void> {
      await Promise.allSettled(tasks);
      await database?.idle();
      await database?.close();
    },
  };
}

function staticFiles({ ASSETS }: Env): MiddlewareHandler {
  return async (c) => {
    const found = await ASSETS.fetch(c.req.raw);
    if (found.status !== 404) return found;
    await found.body?.cancel();
  };
}

/** Logs why the isolate could not be prepared. @returns the response to the request: 500 */
function answerStartFailure(error: Error, { write }: Parts): Response {
  const log = createLogger({ level: 'error', format: 'json', write });
  if (error instanceof ConfigError) log.error(error.message);
  else log.error('start failed', { error });
  const context = { requestId: createRequestIds()() };
  return respondError(context, new ApiError('server_error/internal'));
}
