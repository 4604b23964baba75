import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import type { Config } from '../../config/config.ts';
import { insecureSettings } from '../../config/insecure.ts';
import { refusedSettings } from '../../config/parse.ts';
import { memoryShortage, readersFor } from '../../node/reports/memory.ts';
import { exposureOf } from '../../warnings/exposure.ts';
import { type Check, checksOf } from './checks.ts';

const settings = checksOf('configuration', 'docs/deployment.md#production-settings');
const keys = checksOf('keys', 'docs/deployment.md#secrets');
const limits = checksOf('limits', 'docs/deployment.md#systemd');

/** Checks for insecure or incomplete settings, without the database. */
export function checkConfiguration(config: Config): Check[] {
  const address = config.host ?? 'all interfaces';
  const exposure = exposureOf(config, { listens: true });
  const openings = (exposure?.open ?? []).filter(
    ({ close }) => !/^(JWT_SECRET|SVC_ENCRYPTION_KEY)/.test(close),
  );
  return [
    config.strict
      ? settings.ok('strict mode is on')
      : settings.warning('SVC_STRICT is off: the defaults suit a trial on one machine'),
    exposure
      ? settings.warning(
          `reachable from outside with insecure settings, if the server has the same environment as this command: ${exposure.reachable.join('; ')}`,
        )
      : settings.ok(`the server listens on ${address}, port ${config.port}`),
    ...openings.map(({ what, close }) => settings.warning(`${what} (${close})`)),
    ...checkSecrets(config),
  ];
}

function checkSecrets(config: Config): Check[] {
  const refused = refusedSettings(config);
  const weak = insecureSettings(config).filter(({ variable }) => variable !== 'SVC_PUBLIC_URL');
  return [
    config.jwtSecrets.length > 0
      ? keys.ok('JWT_SECRET is set')
      : keys.warning('JWT_SECRET is not set: sessions end at each restart, and several servers do not work'),
    config.encryptionKeys.length > 0
      ? keys.ok('SVC_ENCRYPTION_KEY is set')
      : keys.warning('SVC_ENCRYPTION_KEY is not set: secrets of authenticator apps are stored unencrypted'),
    ...refused.map((line) => keys.failed(`servers do not start: ${line}`)),
    ...(refused.length > 0 ? [] : weak).map(({ variable, problem, takes }) =>
      keys.failed(`${variable}: ${problem}; it takes ${takes}`),
    ),
  ];
}

/** Sockets of clients, connections to PostgreSQL and files, at 10,000 clients. */
const OPEN_FILES = 10_000;

/** The limits of this process, which a server started in the same way has too. */
export async function checkLimits({ hashConcurrency, maxReport }: Config): Promise<Check[]> {
  const text = await readFile('/proc/self/limits', 'utf8').catch(() => undefined);
  const open = /^Max open files\s+(\d+)/m.exec(text ?? '')?.[1];
  const processors = availableParallelism();
  const shortage = memoryShortage(maxReport);
  return [
    open === undefined
      ? limits.skipped('the limit of open files is known on Linux only')
      : Number(open) >= OPEN_FILES
        ? limits.ok(`up to ${open} open files`)
        : limits.warning(
            `only ${open} open files: raise it to ${OPEN_FILES} or more (LimitNOFILE, ulimit -n)`,
          ),
    hashConcurrency !== undefined && hashConcurrency > processors
      ? limits.warning(`SVC_HASH_CONCURRENCY is ${hashConcurrency}, with ${processors} processors`)
      : limits.ok(`${processors} processors`),
    shortage === undefined
      ? limits.ok(`the memory is enough to read ${readersFor(maxReport)} of the largest reports at a time`)
      : limits.warning(shortage, 'docs/operations.md#memory-for-reports'),
  ];
}
