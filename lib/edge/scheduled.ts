import { readBacklog } from '../maintenance/backlog.ts';
import { purgeExpired } from '../maintenance/purge.ts';
import type { Services } from '../services.ts';

/** Well below the limit of 15 minutes per invocation. The next invocation continues. */
const MIGRATE_MS = 5 * 60 * 1000;

/**
 * The background work of a server, run every minute: sends due mails and migrates organizations that are behind. Once an
 * hour it also purges expired rows.
 */
export async function runScheduledWork(services: Services, time: Date): Promise<void> {
  const { mail, orgs, orgMigrations, database, metrics, clock, log } = services;
  await mail.deliverDue();
  metrics.backlog(await readBacklog(database.db, orgMigrations.length).catch(() => undefined));
  if (time.getUTCMinutes() === 0) {
    await purgeExpired(database.db, clock()).catch((error) => log.warn('purge failed', { error }));
  }
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, MIGRATE_MS);
  });
  const migrated = orgs
    .migrateAll()
    .catch((error) => log.error('organizations were not migrated', { error }));
  await Promise.race([migrated, timeout]).finally(() => clearTimeout(timer));
  // Also ends a migration that is still retrying.
  await database.close();
}
