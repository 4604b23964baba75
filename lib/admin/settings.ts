import { asc, eq, ne } from 'drizzle-orm';
import type { Database } from '../../db/client.ts';
import { settings } from '../../db/schema/platform.ts';
import { AdminError, EXIT, oneLine } from './error.ts';

export interface Setting {
  key: string;
  value: string;
}

/** All settings, by key. */
export function listSettings({ db }: Database): Promise<Setting[]> {
  return db.select().from(settings).orderBy(asc(settings.key));
}

/** @throws AdminError when it is not set */
export async function getSetting({ db }: Database, key: string): Promise<Setting> {
  const [found] = await db.select().from(settings).where(eq(settings.key, key));
  if (!found) throw unknownSetting(key);
  return found;
}

const KEY = /^[\w.:/-]{1,200}$/;

/** Creates or changes a setting. */
export async function setSetting(
  { db }: Database,
  key: string,
  value: string,
): Promise<Setting & { changed: boolean }> {
  if (!KEY.test(key)) {
    throw new AdminError(
      `"${oneLine(key)}" cannot be a key: keys have 1 to 200 letters, digits and . _ : / -`,
      EXIT.usage,
    );
  }
  const written = await db
    .insert(settings)
    .values({ key, value })
    .onConflictDoUpdate({ target: settings.key, set: { value }, setWhere: ne(settings.value, value) })
    .returning({ key: settings.key });
  return { key, value, changed: written.length > 0 };
}

/** @throws AdminError when it is not set, so that a misspelt key is noticed */
export async function unsetSetting({ db }: Database, key: string): Promise<{ key: string; changed: true }> {
  const deleted = await db.delete(settings).where(eq(settings.key, key)).returning({ key: settings.key });
  if (deleted.length === 0) throw unknownSetting(key);
  return { key, changed: true };
}

const unknownSetting = (key: string) => new AdminError(`setting "${oneLine(key)}" does not exist`);
