import { sql } from 'drizzle-orm';
import { index, text, uuid } from 'drizzle-orm/pg-core';
import { users } from './accounts.ts';
import { time } from './columns.ts';
import { orgs } from './orgs.ts';
import { shared } from './shared-schema.ts';

/** Personal access tokens. Revoking one deletes it. */
export const personalTokens = shared.table(
  'personal_tokens',
  {
    id: uuid('id').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** The only organization where it works; null: all organizations of the user. */
    orgId: uuid('org_id').references(() => orgs.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    prefix: text('prefix').notNull(),
    /** SHA-256 of the whole token, hex. */
    tokenHash: text('token_hash').notNull().unique('personal_tokens_hash'),
    /** Separated by commas, as in `api_tokens`. */
    scopes: text('scopes').notNull(),
    createdAt: time('created_at').notNull(),
    expiresAt: time('expires_at').notNull(),
    lastUsed: time('last_used'),
    /** The connection of the session that created it. */
    ssoConnectionId: uuid('sso_connection_id'),
    /** When a mail told the user that it expires. Null: not yet. */
    expiryToldAt: time('expiry_told_at'),
  },
  (t) => [
    index('personal_tokens_user').on(t.userId),
    index('personal_tokens_org').on(t.orgId),
    index('personal_tokens_untold').on(t.expiresAt).where(sql`${t.expiryToldAt} is null`),
  ],
);
