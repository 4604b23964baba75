import { sql } from 'drizzle-orm';
import { foreignKey, index, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { users } from './accounts.ts';
import { time } from './columns.ts';
import { memberships, orgs } from './orgs.ts';
import { shared } from './shared-schema.ts';

/* Provisioning by SCIM 2.0. A SCIM user is a membership; a membership that the identity provider has not linked has no row here. */

/** The token of an organization. */
export const scimTokens = shared.table('scim_tokens', {
  orgId: uuid('org_id')
    .primaryKey()
    .references(() => orgs.id, { onDelete: 'cascade' }),
  id: uuid('id').notNull(),
  prefix: text('prefix').notNull(),
  /** SHA-256 of the whole token, hex. */
  tokenHash: text('token_hash').notNull().unique('scim_tokens_hash'),
  createdBy: uuid('created_by').references(() => users.id, { onDelete: 'set null' }),
  createdAt: time('created_at').notNull(),
  lastUsed: time('last_used'),
});

/** A member as the identity provider describes the person. */
export const scimUsers = shared.table(
  'scim_users',
  {
    orgId: uuid('org_id').notNull(),
    userId: uuid('user_id').notNull(),
    userName: text('user_name').notNull(),
    externalId: text('external_id'),
    displayName: text('display_name'),
    givenName: text('given_name'),
    familyName: text('family_name'),
    email: text('email'),
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
  },
  (t) => [
    primaryKey({ name: 'scim_users_pk', columns: [t.orgId, t.userId] }),
    foreignKey({
      name: 'scim_users_member',
      columns: [t.orgId, t.userId],
      foreignColumns: [memberships.orgId, memberships.userId],
    }).onDelete('cascade'),
    uniqueIndex('scim_users_name').on(t.orgId, sql`lower(${t.userName})`),
  ],
);

export const scimGroups = shared.table(
  'scim_groups',
  {
    id: uuid('id').primaryKey(),
    orgId: uuid('org_id')
      .notNull()
      .references(() => orgs.id, { onDelete: 'cascade' }),
    displayName: text('display_name').notNull(),
    externalId: text('external_id'),
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
  },
  (t) => [uniqueIndex('scim_groups_name').on(t.orgId, sql`lower(${t.displayName})`)],
);

export const scimGroupMembers = shared.table(
  'scim_group_members',
  {
    groupId: uuid('group_id')
      .notNull()
      .references(() => scimGroups.id, { onDelete: 'cascade' }),
    orgId: uuid('org_id').notNull(),
    userId: uuid('user_id').notNull(),
  },
  (t) => [
    primaryKey({ name: 'scim_group_members_pk', columns: [t.groupId, t.userId] }),
    foreignKey({
      name: 'scim_group_members_member',
      columns: [t.orgId, t.userId],
      foreignColumns: [memberships.orgId, memberships.userId],
    }).onDelete('cascade'),
    index('scim_group_members_user').on(t.orgId, t.userId),
  ],
);
