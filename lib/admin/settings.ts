import { asc, eq, ne } from 'drizzle-orm';
import type { Database, Db } from '../../db/client.ts';
import { settings } from '../../db/schema/platform.ts';
import { QUOTA_KEYS } from '../../db/storage/usage.ts';
import { storageBytes } from '../config/variables.ts';
import { AdminError, EXIT, oneLine } from './error.ts';
import { findOrg } from './orgs.ts';

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
  given: string,
  text: string,
): Promise<Setting & { changed: boolean }> {
  if (!KEY.test(given)) {
    throw new AdminError(
      `"${oneLine(given)}" cannot be a key: keys have 1 to 200 letters, digits and . _ : / -`,
      EXIT.usage,
    );
  }
  const { key, value } = await checkedQuota(db, given, text);
  const written = await db
    .insert(settings)
    .values({ key, value })
    .onConflictDoUpdate({ target: settings.key, set: { value }, setWhere: ne(settings.value, value) })
    .returning({ key: settings.key });
  return { key, value, changed: written.length > 0 };
}

/**
 * The key of a storage quota with the id of the organization, which may be named by its slug. Other settings stay as they are.
 * @throws AdminError when the organization does not exist, or the value is no quota
 */
async function checkedQuota(db: Db, key: string, value: string): Promise<Setting> {
  const kind = Object.values(QUOTA_KEYS).find((prefix) => key.startsWith(prefix));
  if (kind === undefined) return { key, value };
  const isValid =
    kind === QUOTA_KEYS.bytes ? storageBytes(value) !== undefined : /^[1-9]\d{0,11}$/.test(value);
  if (!isValid)
    throw new AdminError(
      `"${oneLine(value)}" is not allowed: ${kind}… takes ${kind === QUOTA_KEYS.bytes ? 'a size such as 500MiB, 20GiB or 1TiB' : 'a whole number from 1'}`,
      EXIT.usage,
    );
  return { key: await quotaKey(db, key), value };
}

/** The same key with the id of the organization, if it is that of a quota. */
async function quotaKey(db: Db, key: string): Promise<string> {
  const kind = Object.values(QUOTA_KEYS).find((prefix) => key.startsWith(prefix));
  return kind === undefined ? key : kind + (await findOrg(db, key.slice(kind.length))).id;
}

/** @throws AdminError when it is not set, so that a misspelt key is noticed */
export async function unsetSetting({ db }: Database, given: string): Promise<{ key: string; changed: true }> {
  const key = await quotaKey(db, given);
  const deleted = await db.delete(settings).where(eq(settings.key, key)).returning({ key: settings.key });
  if (deleted.length === 0) throw unknownSetting(key);
  return { key, changed: true };
}

const unknownSetting = (key: string) => new AdminError(`setting "${oneLine(key)}" does not exist`);
