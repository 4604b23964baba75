import { eq } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { retried } from '../../db/errors.ts';
import { notificationSettings as t, users } from '../../db/schema/accounts.ts';
import { isSame, readSettings, type Settings } from './settings.ts';

/** Changes what an account has chosen. A change that changes nothing writes and locks nothing. */
export async function changeSettings(
  db: Db,
  userId: string,
  now: Date,
  change: (before: Settings) => Settings,
): Promise<Settings> {
  const stored = await readSettings(db, userId);
  if (isSame(change(stored), stored)) return stored;
  return await retried(() =>
    db.transaction(async (tx) => {
      // Two changes at once come one after the other, also before the account has a row.
      const [user] = await tx
        .select({ id: users.id })
        .from(users)
        .where(eq(users.id, userId))
        .for('no key update');
      const settings = change(await readSettings(tx, userId));
      if (user)
        await tx
          .insert(t)
          .values({ userId, ...settings, updatedAt: now })
          .onConflictDoUpdate({ target: t.userId, set: { ...settings, updatedAt: now } });
      return settings;
    }),
  );
}
