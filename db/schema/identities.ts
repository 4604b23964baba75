import { index, text, unique, uuid } from 'drizzle-orm/pg-core';
import { sessions, users } from './accounts.ts';
import { time } from './columns.ts';
import { orgs } from './orgs.ts';
import { shared } from './shared-schema.ts';

/**
 * Accounts at OpenID Connect providers that sign in to an account here, by the connections of one organization: a connection of another
 * one to the same provider is the word of other owners.
 */
export const identities = shared.table(
  'identities',
  {
    id: uuid('id').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Null: by the connection of the deployment. */
    orgId: uuid('org_id').references(() => orgs.id, { onDelete: 'cascade' }),
    issuer: text('issuer').notNull(),
    /** The claim `sub`; of Entra ID `tid` and `oid`, because its `sub` differs by application. */
    subject: text('subject').notNull(),
    /** The address that the provider named last. It finds no account. */
    email: text('email').notNull(),
    createdAt: time('created_at').notNull(),
    lastUsedAt: time('last_used_at').notNull(),
  },
  (t) => [
    unique('identities_subject').on(t.issuer, t.subject, t.orgId).nullsNotDistinct(),
    index('identities_user').on(t.userId),
    index('identities_org').on(t.orgId),
  ],
);

/** Sessions that began at a provider, with the data that ends them here and there. */
export const ssoSessions = shared.table(
  'sso_sessions',
  {
    sessionId: uuid('session_id')
      .primaryKey()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    identityId: uuid('identity_id')
      .notNull()
      .references(() => identities.id, { onDelete: 'cascade' }),
    issuer: text('issuer').notNull(),
    clientId: text('client_id').notNull(),
    /** The claims `sub` and `sid`, as logout tokens have them. */
    sub: text('sub').notNull(),
    sid: text('sid'),
    /** The ID token, sealed, for the provider's page that signs out. */
    idToken: text('id_token').notNull(),
    /** The address of that page. Null: the provider has none. */
    endSession: text('end_session'),
  },
  (t) => [index('sso_sessions_identity').on(t.identityId), index('sso_sessions_sub').on(t.issuer, t.sub)],
);
