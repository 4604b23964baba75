import { and, eq, inArray } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { retried } from '../../db/errors.ts';
import { notificationSettings as t, users } from '../../db/schema/accounts.ts';
import { outgoingMails } from '../../db/schema/platform.ts';
import { endMails, orgsOf, startMails } from './following.ts';
import { readSettings, type Settings, wantsAny } from './settings.ts';
import { digestKey } from './write.ts';

/** The outcome of a change. */
export interface SettingsChange {
  settings: Settings;
  /** The organizations whose events may be followed from now on, or no longer. */
  orgIds: readonly string[];
}

const DIGESTS = ['now', 'daily', 'weekly'] as const;

/** Changes what an account has chosen, and starts or ends the mails of its organizations. */
export const changeSettings = (
  db: Db,
  userId: string,
  now: Date,
  change: (before: Settings) => Settings,
): Promise<SettingsChange> =>
  retried(() =>
    db.transaction(async (tx) => {
      // Memberships refer to the account: those that begin meanwhile wait, or are seen below.
      const [user] = await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('update');
      const before = await readSettings(tx, userId);
      const settings = change(before);
      if (!user || JSON.stringify(settings) === JSON.stringify(before)) return { settings, orgIds: [] };
      await tx
        .insert(t)
        .values({ userId, ...settings, updatedAt: now })
        .onConflictDoUpdate({ target: t.userId, set: { ...settings, updatedAt: now } });
      const used = new Set<string>(Object.values(settings.kinds));
      const unused = DIGESTS.filter((time) => !used.has(time)).map((time) => digestKey(userId, time));
      if (unused.length > 0)
        await tx
          .delete(outgoingMails)
          .where(and(inArray(outgoingMails.collects, unused), eq(outgoingMails.attempts, 0)));
      const orgIds = wantsAny(settings) || wantsAny(before) ? await orgsOf(tx, userId) : [];
      for (const orgId of orgIds)
        if (wantsAny(settings)) await startMails(tx, orgId, now);
        else await endMails(tx, orgId);
      return { settings, orgIds };
    }),
  );
