import { and, asc, eq, ne } from 'drizzle-orm';
import type { Database } from '../../db/client.ts';
import { featureFlags } from '../../db/schema/platform.ts';
import { AdminError, oneLine } from './error.ts';

export interface Flag {
  name: string;
  enabled: boolean;
  description: string;
}

/** The global feature flags, by name. */
export function listFlags({ db }: Database): Promise<Flag[]> {
  return db.select().from(featureFlags).orderBy(asc(featureFlags.name));
}

/** Sets a global feature flag. Servers read it for every request that depends on it. */
export async function setFlag(
  database: Database,
  name: string,
  enabled: boolean,
): Promise<Flag & { changed: boolean }> {
  const [set] = await database.db
    .update(featureFlags)
    .set({ enabled })
    .where(and(eq(featureFlags.name, name), ne(featureFlags.enabled, enabled)))
    .returning();
  if (set) return { ...set, changed: true };
  const flags = await listFlags(database);
  const flag = flags.find((known) => known.name === name);
  if (!flag) throw unknownFlag('feature flag', name, flags);
  return { ...flag, changed: false };
}

/** The error for an unknown flag. It lists the known ones. */
export function unknownFlag(kind: string, name: string, known: readonly { name: string }[]): AdminError {
  const names = known.map((flag) => oneLine(flag.name)).join(', ') || 'none';
  return new AdminError(`${kind} "${oneLine(name)}" does not exist (known: ${names})`);
}
