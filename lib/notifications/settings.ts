import { eq } from 'drizzle-orm';
import type { Db, Tx } from '../../db/client.ts';
import { notificationSettings as t } from '../../db/schema/accounts.ts';
import { NOTIFICATION_KINDS, NOTIFICATION_TIMES } from '../../db/schema/values.ts';
import { optional, text, z } from '../schema.ts';
import { isTimeZone } from './digest-time.ts';

/* The mails about findings that an account has chosen. */

export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];
export type NotificationTime = (typeof NOTIFICATION_TIMES)[number];

export type Settings = Pick<typeof t.$inferSelect, 'kinds' | 'timeZone' | 'hour'>;

const mapKinds = <Value>(of: (kind: NotificationKind) => Value) =>
  Object.fromEntries(NOTIFICATION_KINDS.map((kind) => [kind, of(kind)])) as Record<NotificationKind, Value>;

const MAX_TIME_ZONE = 64;
const ZONE = 'Europe/Berlin';

export const Notifications = z
  .object({
    ...mapKinds(() => z.enum(NOTIFICATION_TIMES).openapi({ example: 'daily' })),
    time_zone: z.string().openapi({ example: ZONE }),
    hour: z.int().openapi({ example: 8 }),
  })
  .openapi('Notifications');

export const NotificationChanges = z
  .object({
    ...mapKinds(() => optional(z.enum(NOTIFICATION_TIMES).openapi({ example: 'daily' }))),
    time_zone: optional(
      text({ min: 1, max: MAX_TIME_ZONE, example: ZONE }).refine(isTimeZone, 'is not a known time zone'),
    ).openapi({ description: 'A name of the IANA database.' }),
    hour: optional(z.int().min(0).max(23).openapi({ example: 8 })).openapi({
      description: 'The hour of the day at which daily and weekly mails are sent.',
    }),
  })
  .openapi('NotificationChanges', {
    example: { assigned: 'now', new_critical: 'daily', time_zone: ZONE, hour: 8 },
  });

const DEFAULTS: Settings = { kinds: mapKinds(() => 'off'), timeZone: 'UTC', hour: 8 };

/** Reads what an account has chosen. A kind that is newer than the row is off. */
export async function readSettings(db: Db | Tx, userId: string): Promise<Settings> {
  const [row] = await db
    .select({ kinds: t.kinds, timeZone: t.timeZone, hour: t.hour })
    .from(t)
    .where(eq(t.userId, userId));
  return row ? { ...row, kinds: { ...DEFAULTS.kinds, ...row.kinds } } : DEFAULTS;
}

export const toNotifications = ({ kinds, timeZone, hour }: Settings): z.output<typeof Notifications> => ({
  ...mapKinds((kind) => kinds[kind]),
  time_zone: timeZone,
  hour,
});

/** The settings after a change. Fields that are left out stay. */
export const changed = (before: Settings, given: z.output<typeof NotificationChanges>): Settings => ({
  // Another version may have stored further kinds.
  kinds: { ...before.kinds, ...mapKinds((kind) => given[kind] ?? before.kinds[kind]) },
  timeZone: given.time_zone ?? before.timeZone,
  hour: given.hour ?? before.hour,
});

export const isSame = (a: Settings, b: Settings): boolean =>
  a.timeZone === b.timeZone &&
  a.hour === b.hour &&
  Object.entries(a.kinds).every(([kind, time]) => time === b.kinds[kind as NotificationKind]);

/** Whether any kind is on. */
export const wantsAny = ({ kinds }: Settings): boolean => Object.values(kinds).some((time) => time !== 'off');
