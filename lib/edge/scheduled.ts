import { readBacklog } from '../maintenance/backlog.ts';
import { purgeExpired } from '../maintenance/purge.ts';
import type { Services } from '../services.ts';

/** An invocation may take 15 minutes, and the next one goes on. */
const MIGRATE_MS = 5 * 60 * 1000;

/**
 * What a server does all the time, by the minute: sends mails that are due again, migrates organizations that are behind,
 * and purges what has expired once an hour.
 */
export async function runScheduledWork(services: Services, time: Date): Promise<void> {
  const { mail, orgs, orgMigrations, database, metrics, clock, log } = services;
  await mail.deliverDue();
  metrics.backlog(await readBacklog(database.db, orgMigrations.length).catch(() => undefined));
  if (time.getUTCMinutes() === 0) {
    await purgeExpired(database.db, clock()).catch((error) => log.warn('not purged', { error }));
  }
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, MIGRATE_MS);
  });
  const migrated = orgs
    .migrateAll()
    .catch((error) => log.error('organizations were not migrated', { error }));
  await Promise.race([migrated, over]).finally(() => clearTimeout(timer));
  // It tries again until there is no database any more.
  await database.close();
}
