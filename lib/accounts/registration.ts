import { inArray, sql } from 'drizzle-orm';
import type { Db, Tx } from '../../db/client.ts';
import { users } from '../../db/schema/accounts.ts';
import { featureFlags } from '../../db/schema/platform.ts';

/** Whether anybody may register. */
export async function isRegistrationOpen(db: Db | Tx): Promise<boolean> {
  const flags = await db
    .select({ name: featureFlags.name, enabled: featureFlags.enabled })
    .from(featureFlags)
    .where(inArray(featureFlags.name, ['signup', 'invite_only']));
  const isOn = (flag: string) => flags.some(({ name, enabled }) => name === flag && enabled);
  return isOn('signup') && !isOn('invite_only');
}

/** The knowledge of a process or an isolate about the accounts in its database. */
export interface KnownAccounts {
  /** Once there is an account, the database is not asked again. */
  any: boolean;
}

/**
 * Whether a visitor may register the first account. It is the first question of every visitor's page, so it costs a statement only
 * while no account exists, and an unreachable database counts as one with accounts.
 */
export async function awaitsFirstAccount(db: Db, known: KnownAccounts): Promise<boolean> {
  if (known.any) return false;
  try {
    const [found] = await db.select({ one: sql`1` }).from(users).limit(1);
    known.any = found !== undefined;
    return !known.any && (await isRegistrationOpen(db));
  } catch {
    return false;
  }
}
