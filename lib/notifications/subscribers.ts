import { and, eq, isNotNull, isNull, not } from 'drizzle-orm';
import type { Db, Tx } from '../../db/client.ts';
import { notificationSettings as s, userEmails, users } from '../../db/schema/accounts.ts';
import { isLimited, memberships, type Role } from '../../db/schema/orgs.ts';
import type { Config } from '../config/config.ts';
import { hasAccess, isConfirmed } from '../members/fields.ts';
import { isWanting } from './following.ts';
import type { Settings } from './settings.ts';

/** A person who has chosen mails, with the primary address. */
export interface Recipient extends Settings {
  id: string;
  name: string;
  email: string;
}

/** A member of an organization who has chosen mails. */
export interface Subscriber extends Recipient {
  role: Role;
  /** Reaches only the assigned projects. */
  isLimited: boolean;
}

/** The columns of a {@link Recipient}. */
export const recipientFields = {
  ...{ id: users.id, name: users.name, email: userEmails.email },
  ...{ kinds: s.kinds, timeZone: s.timeZone, hour: s.hour },
};

/** Whether mails go to an account: it is not disabled and has verified its primary address. */
export const isReachable = and(
  isNull(users.disabledAt),
  eq(userEmails.isPrimary, true),
  isNotNull(userEmails.verifiedAt),
);

/** The members of an organization who have access to it and have chosen mails. */
export const readSubscribers = (
  db: Db | Tx,
  config: Pick<Config, 'pendingInvitations'>,
  orgId: string,
): Promise<Subscriber[]> =>
  db
    .select({ ...recipientFields, role: memberships.role, isLimited })
    .from(memberships)
    .innerJoin(s, eq(s.userId, memberships.userId))
    .innerJoin(users, eq(users.id, memberships.userId))
    .innerJoin(userEmails, eq(userEmails.userId, users.id))
    .where(
      and(
        eq(memberships.orgId, orgId),
        hasAccess(config),
        isConfirmed,
        not(memberships.isHeld),
        isReachable,
        isWanting,
      ),
    );
