import { eq } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { parseScopes, toResource } from '../../db/resources.ts';
import { personalTokens as t } from '../../db/schema/personal-tokens.ts';
import { TOKEN_SCOPES } from '../../db/schema/values.ts';
import { id, optional, shown, text, timestamp, uuid, z } from '../schema.ts';
import { scopesInput } from './scopes.ts';

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

export const personalTokenFields = {
  id: t.id,
  name: t.name,
  prefix: t.prefix,
  scopes: t.scopes,
  org_id: t.orgId,
  created_at: t.createdAt,
  expires_at: t.expiresAt,
  last_used: t.lastUsed,
};

export const toPersonalToken = <Row extends { scopes: string }>(row: Row) => ({
  ...toResource(row),
  scopes: parseScopes(row.scopes),
});

/** A user's personal access tokens, newest first. */
export async function personalTokensOf(db: Db, userId: string) {
  const rows = await db.select(personalTokenFields).from(t).where(eq(t.userId, userId)).orderBy(t.id);
  return rows.reverse().map(toPersonalToken);
}
