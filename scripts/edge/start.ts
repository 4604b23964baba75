import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { ConfigError, parseConfig } from '../../lib/config/parse.ts';
import { VERSION } from '../../lib/config/version.ts';
import { parseEdgeConfig } from '../../lib/edge/config.ts';
import { createLogger } from '../../lib/logger.ts';
import { prepareDatabase } from '../../lib/node/prepare-database.ts';
import { StartError, startWorkerd } from './workerd.ts';

/** Environment variables that the worker gets; it gets no others. */
const VARIABLE = /^(?:SVC_|RESEND_|LOG_|JWT_SECRET$)/;
const CRON_MS = 60_000;

try {
  if (existsSync('.env')) process.loadEnvFile('.env');
  await run();
} catch (error) {
  process.stderr.write(
    `${error instanceof ConfigError || error instanceof StartError ? error.message : (error as Error).stack}\n`,
  );
  process.exit(1);
}

/** Serves the worker as `server.ts` serves the service: the same variables, the same signals. */
async function run(): Promise<void> {
  const { port, host, databaseUrl, jwtSecrets, logLevel, logFormat } = parseConfig(process.env);
  if (!databaseUrl) throw new ConfigError('DATABASE_URL: must be set; the edge brings no PostgreSQL along');
  const variables: Record<string, string> = {
    SVC_PUBLIC_URL: process.env.SVC_BASE_DOMAIN ? '' : `http://localhost:${port}`,
    JWT_SECRET: randomBytes(32).toString('hex'),
  };
  for (const [name, value] of Object.entries(process.env)) {
    if (value && VARIABLE.test(name)) variables[name] = value;
  }
  variables.LOG_FORMAT = logFormat;
  const log = createLogger({
    level: logLevel,
    format: logFormat,
    write: (line) => process.stdout.write(line),
  });
  if (jwtSecrets.length === 0) log.warn('JWT_SECRET is not set: sessions end when the worker stops');
  const values = { HYPERDRIVE: { connectionString: databaseUrl } };
  parseEdgeConfig({ ...variables, ...values } as never);
  const signalled = new Promise<string>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, resolve);
  });
  // As is done before deploying.
  await prepareDatabase(databaseUrl, log);

  const edge = await startWorkerd({
    address: `${host ?? '*'}:${port}`,
    variables,
    values,
    onLine: (line) => process.stdout.write(`${line}\n`),
  });
  log.info('listening', {
    version: VERSION,
    url: `http://${host ?? 'localhost'}:${edge.port}`,
    runtime: 'workerd',
  });
  const runCron = () => edge.runCron().catch((error) => log.error('the cron trigger failed', { error }));
  void runCron();
  const clock = setInterval(runCron, CRON_MS);
  const signal = await Promise.race([signalled, edge.ended]);
  clearInterval(clock);
  if (!signal) throw new StartError('workerd has ended');
  log.info('stopping', { signal });
  await edge.stop();
  log.info('stopped');
  process.exit();
}
