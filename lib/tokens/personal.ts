import { and, eq, lte } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { parseScopes, toResource } from '../../db/resources.ts';
import { orgs } from '../../db/schema/orgs.ts';
import { personalTokens as t } from '../../db/schema/personal-tokens.ts';
import { TOKEN_SCOPES, type TokenScope } from '../../db/schema/values.ts';
import { lockAccount } from '../accounts/accounts.ts';
import { ApiError } from '../errors.ts';
import type { CookieCall, PublicCall } from '../http/call.ts';
import { mailChange } from '../http/mails.ts';
import { logSecurityEvent } from '../http/security-log.ts';
import { listOrgsOf } from '../orgs/list.ts';
import { requireRoom } from '../quotas.ts';
import { id, optional, shown, text, timestamp, uuid, z } from '../schema.ts';
import { generateToken } from './format.ts';
import { scopesInput, scopesText } from './scopes.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Every personal token expires, after a year at most. */
const MAX_DAYS = 366;

/** The request for a new personal access token. */
export const PersonalTokenInput = z
  .object({
    name: text({ min: 1, max: 100, trim: true, example: 'weekly report' }),
    scopes: scopesInput(
      ['read', 'triage', 'admin'],
      'read',
      'Permissions of the token, at most those of your role in the organization: `read` what viewers see, `triage` what members change, `admin` what admins change. `triage` includes `read`, and `admin` both. Default: `read`.',
    ),
    expires_in: z.int().min(1).max(MAX_DAYS).openapi({ description: 'Days.', example: 90 }),
    org_id: optional(
      uuid().openapi({ description: 'The only organization where the token works. Default: all of yours.' }),
    ),
  })
  .openapi('NewPersonalToken', { example: { name: 'weekly report', scopes: ['read'], expires_in: 90 } });

export const PersonalToken = z
  .object({
    id: id(),
    name: shown('weekly report'),
    prefix: shown('svcp_5f0c1f4b'),
    scopes: z.array(z.enum(TOKEN_SCOPES)).openapi({ example: ['read'] }),
    org_id: id().optional().openapi({
      description: 'The only organization where the token works. Absent: all of yours.',
    }),
    created_at: timestamp(),
    expires_at: timestamp(),
    last_used: timestamp().optional(),
  })
  .openapi('PersonalToken');

/** A new personal access token; it is shown in full this once. */
export const CreatedPersonalToken = z.object({
  token: shown('svcp_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b'),
  info: PersonalToken,
});

const fields = {
  id: t.id,
  name: t.name,
  prefix: t.prefix,
  scopes: t.scopes,
  org_id: t.orgId,
  created_at: t.createdAt,
  expires_at: t.expiresAt,
  last_used: t.lastUsed,
};

const toPersonalToken = <Row extends { scopes: string }>(row: Row) => ({
  ...toResource(row),
  scopes: parseScopes(row.scopes),
});

/** A user's personal access tokens, newest first. */
export async function personalTokensOf(db: Db, userId: string) {
  const rows = await db.select(fields).from(t).where(eq(t.userId, userId)).orderBy(t.id);
  return rows.reverse().map(toPersonalToken);
}

/** Makes a personal access token and tells its owner by mail. Expired tokens of the owner are removed. */
export async function issuePersonalToken(
  call: CookieCall,
  { name, scopes, expires_in, org_id }: z.output<typeof PersonalTokenInput>,
): Promise<z.output<typeof CreatedPersonalToken>> {
  const { db, now, services, user } = call;
  if (org_id !== undefined) await requireMembership(call, org_id);
  const { token, prefix, hash } = generateToken('personal');
  const { id, at } = services.nextId();
  const expiresAt = new Date(at.getTime() + expires_in * DAY_MS);
  const row = await db.transaction(async (tx) => {
    await lockAccount(tx, call);
    await tx.delete(t).where(and(eq(t.userId, user.id), lte(t.expiresAt, now)));
    await requireRoom(tx, services.config.quotas, 'personalTokensPerAccount', t, eq(t.userId, user.id));
    const values = { id, userId: user.id, orgId: org_id ?? null, name, prefix, tokenHash: hash };
    const [inserted] = await tx
      .insert(t)
      .values({ ...values, scopes: scopesText(scopes), createdAt: at, expiresAt })
      .returning(fields);
    await mailChange(tx, call, 'personal_token_created', { token: `${name} (${scopes.join(', ')})` });
    return inserted;
  });
  if (!row) throw new ApiError('server_error/internal');
  services.mail.kick();
  logEvent(call, 'token_created', { id, name, scopes, orgId: org_id, expiresAt });
  return { token, info: toPersonalToken(row) };
}

async function requireMembership(call: CookieCall, orgId: string): Promise<void> {
  const [found] = await listOrgsOf(call, { where: eq(orgs.id, orgId) });
  if (!found)
    throw new ApiError('validation_error/field_invalid', {
      details: [{ field: 'org_id', message: 'is not one of your organizations' }],
    });
}

/** Revokes a user's personal access token, for good. @returns false if there is none */
export async function revokePersonalToken(call: CookieCall, tokenId: string): Promise<boolean> {
  const [revoked] = await call.db
    .delete(t)
    .where(and(eq(t.id, tokenId), eq(t.userId, call.user.id)))
    .returning({ id: t.id, name: t.name });
  if (revoked) logEvent(call, 'token_revoked', revoked);
  return revoked !== undefined;
}

/** Writes a line of the security log about a personal token: never the token itself. */
function logEvent(
  call: PublicCall,
  event: 'token_created' | 'token_revoked',
  token: {
    id: string;
    name: string;
    scopes?: readonly TokenScope[];
    orgId?: string | undefined;
    expiresAt?: Date;
  },
): void {
  logSecurityEvent(call, event, {
    token: token.id,
    token_name: token.name,
    personal: true,
    scopes: token.scopes?.join(),
    only_org: token.orgId,
    expires_at: token.expiresAt?.toISOString(),
  });
}
