import { and, asc, desc, eq, gt, isNull, or } from 'drizzle-orm';
import type { Database, Db } from '../../../db/client.ts';
import { mfaDevices, sessions, userEmails } from '../../../db/schema/accounts.ts';
import { defineOrgTables } from '../../../db/schema/org.ts';
import { orgSchemaName } from '../../../db/schema/org-schema.ts';
import { memberships, orgs } from '../../../db/schema/orgs.ts';
import { tokensOf as personalTokensOf } from '../../accounts/export/account.ts';
import { countRecoveryCodes } from '../../accounts/mfa/recovery-codes.ts';
import { type AccountSummary, findUser } from './account.ts';

/** The details of an account for investigations, without credentials. */
export interface AccountDetails extends AccountSummary {
  emails: { email: string; is_primary: boolean; verified_at: Date | null }[];
  memberships: { org: string; role: string; invited_email: string | null; since: Date }[];
  sessions: {
    id: string;
    ip_address: string;
    browser: string;
    os: string;
    device_type: string;
    created_at: Date;
    last_active_at: Date;
    expires_at: Date;
  }[];
  factors: { id: string; type: string; name: string; verified: boolean; last_used_at: Date | null }[];
  recovery_codes: number;
  personal_tokens: {
    id: string;
    name: string;
    org_id: string | null;
    scopes: string[];
    created_at: Date;
    expires_at: Date;
    last_used: Date | null;
  }[];
  /** Active API tokens that the account created. They belong to the organization. */
  tokens: {
    org: string;
    id: string;
    name: string;
    project_id: string | null;
    expires_at: Date | null;
    last_used: Date | null;
    created_at: Date;
  }[];
}

/** An account with its addresses, memberships, live sessions, factors and tokens. */
export async function showUser({ db }: Database, name: string, now = new Date()): Promise<AccountDetails> {
  const account = await findUser(db, name);
  const { id } = account;
  const joined = await db
    .select({
      orgId: orgs.id,
      org: orgs.slug,
      version: orgs.schemaVersion,
      role: memberships.role,
      invited_email: memberships.invitedEmail,
      since: memberships.createdAt,
    })
    .from(memberships)
    .innerJoin(orgs, eq(orgs.id, memberships.orgId))
    .where(eq(memberships.userId, id))
    .orderBy(asc(orgs.slug));
  return {
    ...account,
    emails: await db
      .select({
        email: userEmails.email,
        is_primary: userEmails.isPrimary,
        verified_at: userEmails.verifiedAt,
      })
      .from(userEmails)
      .where(eq(userEmails.userId, id))
      .orderBy(desc(userEmails.isPrimary), asc(userEmails.email)),
    memberships: joined.map(({ orgId: _, version: __, ...membership }) => membership),
    sessions: await db
      .select({
        id: sessions.id,
        ip_address: sessions.ipAddress,
        browser: sessions.browser,
        os: sessions.os,
        device_type: sessions.deviceType,
        created_at: sessions.createdAt,
        last_active_at: sessions.lastActiveAt,
        expires_at: sessions.expiresAt,
      })
      .from(sessions)
      .where(and(eq(sessions.userId, id), isNull(sessions.revokedAt), gt(sessions.expiresAt, now)))
      .orderBy(desc(sessions.createdAt)),
    factors: await db
      .select({
        id: mfaDevices.id,
        type: mfaDevices.type,
        name: mfaDevices.name,
        verified: mfaDevices.verified,
        last_used_at: mfaDevices.lastUsedAt,
      })
      .from(mfaDevices)
      .where(eq(mfaDevices.userId, id))
      .orderBy(asc(mfaDevices.id)),
    recovery_codes: await countRecoveryCodes(db, id),
    personal_tokens: (await personalTokensOf(db, id)).map(({ prefix: _, ...token }) => token),
    tokens: await tokensOf(db, id, joined, now),
  };
}

/** Reads one organization at a time, because a statement may only read one organization's tables. */
async function tokensOf(
  db: Db,
  userId: string,
  joined: { orgId: string; org: string; version: number }[],
  now: Date,
) {
  const tokens: AccountDetails['tokens'] = [];
  for (const { orgId, org, version } of joined) {
    if (version === 0) continue;
    const { apiTokens: t } = defineOrgTables(orgSchemaName(orgId));
    const rows = await db
      .select({
        id: t.id,
        name: t.name,
        project_id: t.projectId,
        expires_at: t.expiresAt,
        last_used: t.lastUsed,
        created_at: t.createdAt,
      })
      .from(t)
      .where(
        and(eq(t.createdBy, userId), eq(t.revoked, false), or(isNull(t.expiresAt), gt(t.expiresAt, now))),
      )
      .orderBy(asc(t.id));
    tokens.push(...rows.map((row) => ({ org, ...row })));
  }
  return tokens;
}
