import { and, asc, desc, eq, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Db } from '../../../db/client.ts';
import { parseScopes } from '../../../db/resources.ts';
import {
  emailCodes,
  mailedTokens,
  mfaDevices,
  mfaLogins,
  primaryEmailChanges,
  recoveryCodes,
  sessions,
  userEmails,
  users,
} from '../../../db/schema/accounts.ts';
import { memberships, orgs, orgUndoLinks } from '../../../db/schema/orgs.ts';
import { personalTokens } from '../../../db/schema/personal-tokens.ts';
import { scimGroupMembers, scimGroups, scimUsers } from '../../../db/schema/scim.ts';
import type { SecretBox } from '../../crypto/secret-box.ts';
import { queuedTo, readDigestsOf } from '../../mail/queued-to.ts';
import { provisioned } from '../../members/fields.ts';
import { readSettings, toNotifications } from '../../notifications/settings.ts';
import { listIdentities } from '../../sso/identities.ts';

type Rows = Record<string, unknown>[];

/**
 * Reads the rows of `shared` about a person, without hashes and secrets, which nobody can use. Each list is bounded by a quota or
 * by how long its rows are kept.
 */
export async function readAccount(
  { db, box, now }: { db: Db; box: SecretBox; now: Date },
  userId: string,
): Promise<Record<string, object> | undefined> {
  const [user] = await db.select().from(users).where(eq(users.id, userId));
  if (!user) return undefined;
  const emails = await db
    .select({
      id: userEmails.id,
      email: userEmails.email,
      is_primary: userEmails.isPrimary,
      verified_at: userEmails.verifiedAt,
      created_at: userEmails.createdAt,
    })
    .from(userEmails)
    .where(eq(userEmails.userId, userId))
    .orderBy(desc(userEmails.isPrimary), asc(userEmails.email));
  const verified = emails.filter(({ verified_at }) => verified_at !== null).map(({ email }) => email);
  const mails: Rows = [];
  for await (const { recipient, subject, createdAt } of queuedTo({ db, box }, verified, now))
    mails.push({ recipient, subject, created_at: createdAt });
  const [primary] = emails;
  if (primary && verified.includes(primary.email))
    for (const { createdAt } of await readDigestsOf(db, userId))
      mails.push({ recipient: primary.email, subject: 'A summary of notices', created_at: createdAt });
  return {
    account: {
      id: user.id,
      name: user.name,
      avatar_url: user.avatarUrl,
      has_password: user.passwordHash !== null,
      mfa_enabled: user.mfaEnabled,
      sign_ins: user.signIns,
      disabled_at: user.disabledAt,
      created_at: user.createdAt,
    },
    emails,
    memberships: await membershipsOf(db, userId),
    created_organizations: await db
      // The present name is none of the business of former members.
      .select({ id: orgs.id, slug: ofMembers(orgs.slug), name: ofMembers(orgs.name) })
      .from(orgs)
      .leftJoin(memberships, and(eq(memberships.orgId, orgs.id), eq(memberships.userId, userId)))
      .where(eq(orgs.createdBy, userId))
      .orderBy(asc(orgs.slug)),
    sessions: await sessionsOf(db, userId),
    mfa_devices: await db
      .select({
        id: mfaDevices.id,
        type: mfaDevices.type,
        name: mfaDevices.name,
        verified: mfaDevices.verified,
        last_used_at: mfaDevices.lastUsedAt,
        created_at: mfaDevices.createdAt,
      })
      .from(mfaDevices)
      .where(eq(mfaDevices.userId, userId))
      .orderBy(asc(mfaDevices.id)),
    identities: await listIdentities(db, userId),
    recovery_codes: await db
      .select({ used_at: recoveryCodes.usedAt })
      .from(recoveryCodes)
      .where(eq(recoveryCodes.userId, userId)),
    personal_tokens: await tokensOf(db, userId),
    notifications: toNotifications(await readSettings(db, userId)),
    mailed_links: await db
      .select({
        purpose: mailedTokens.purpose,
        email: userEmails.email,
        created_at: mailedTokens.createdAt,
        expires_at: mailedTokens.expiresAt,
      })
      .from(mailedTokens)
      .innerJoin(userEmails, eq(userEmails.id, mailedTokens.emailId))
      .where(eq(mailedTokens.userId, userId)),
    mailed_codes: await db
      .select({ device_id: emailCodes.deviceId, expires_at: emailCodes.expiresAt })
      .from(emailCodes)
      .innerJoin(mfaDevices, and(eq(mfaDevices.id, emailCodes.deviceId), eq(mfaDevices.userId, userId))),
    unfinished_sign_ins: await db
      .select({ failures: mfaLogins.failures, expires_at: mfaLogins.expiresAt })
      .from(mfaLogins)
      .where(eq(mfaLogins.userId, userId)),
    primary_email_changes: await db
      .select({
        old_email: primaryEmailChanges.oldEmail,
        new_email: primaryEmailChanges.newEmail,
        changed_at: primaryEmailChanges.changedAt,
        expires_at: primaryEmailChanges.expiresAt,
      })
      .from(primaryEmailChanges)
      .where(eq(primaryEmailChanges.userId, userId)),
    organization_undo_links: await db
      .select({
        org_id: orgUndoLinks.orgId,
        invited_email: orgUndoLinks.invitedEmail,
        member_since: orgUndoLinks.memberSince,
        used_at: orgUndoLinks.usedAt,
        expires_at: orgUndoLinks.expiresAt,
      })
      .from(orgUndoLinks)
      .where(eq(orgUndoLinks.userId, userId)),
    queued_mails: mails,
  };
}

const ofMembers = (column: PgColumn) =>
  sql<string | null>`case when ${memberships.userId} is not null then ${column} end`;

const membershipsOf = (db: Db, userId: string) =>
  db
    .select({
      org_id: orgs.id,
      slug: orgs.slug,
      name: orgs.name,
      role: memberships.role,
      project_access: memberships.projectAccess,
      invited_email: memberships.invitedEmail,
      confirmed_at: memberships.confirmedAt,
      owner_offer_until: memberships.ownerOfferUntil,
      last_active_at: memberships.lastActiveAt,
      suspended_at: memberships.suspendedAt,
      provisioned_as: sql<unknown>`case when ${scimUsers.userId} is not null then json_strip_nulls(json_build_object(
        'user_name', ${scimUsers.userName}, 'external_id', ${scimUsers.externalId}, 'email', ${scimUsers.email},
        'display_name', ${scimUsers.displayName}, 'given_name', ${scimUsers.givenName}, 'family_name', ${scimUsers.familyName},
        'groups', (select json_agg(g.display_name order by g.display_name) from ${scimGroupMembers} gm
          join ${scimGroups} g on g.id = gm.group_id where gm.org_id = ${scimUsers.orgId} and gm.user_id = ${scimUsers.userId}))) end`,
      created_at: memberships.createdAt,
    })
    .from(memberships)
    .innerJoin(orgs, eq(orgs.id, memberships.orgId))
    .leftJoin(scimUsers, provisioned)
    .where(eq(memberships.userId, userId))
    .orderBy(asc(orgs.slug));

const sessionsOf = (db: Db, userId: string) =>
  db
    .select({
      id: sessions.id,
      ip_address: sessions.ipAddress,
      user_agent: sessions.userAgent,
      browser: sessions.browser,
      os: sessions.os,
      device_type: sessions.deviceType,
      created_at: sessions.createdAt,
      last_active_at: sessions.lastActiveAt,
      stepped_up_at: sessions.steppedUpAt,
      authenticated_at: sessions.authenticatedAt,
      idle_seconds: sessions.idleSeconds,
      expires_at: sessions.expiresAt,
      revoked_at: sessions.revokedAt,
    })
    .from(sessions)
    .where(eq(sessions.userId, userId))
    .orderBy(desc(sessions.createdAt));

/** A person's access tokens, without the tokens. */
export async function tokensOf(db: Db, userId: string) {
  const t = personalTokens;
  const rows = await db
    .select({
      id: t.id,
      name: t.name,
      prefix: t.prefix,
      org_id: t.orgId,
      scopes: t.scopes,
      created_at: t.createdAt,
      expires_at: t.expiresAt,
      last_used: t.lastUsed,
    })
    .from(t)
    .where(eq(t.userId, userId))
    .orderBy(asc(t.id));
  return rows.map(({ scopes, ...row }) => ({ ...row, scopes: parseScopes(scopes) }));
}
