import { apiTokenFields, toApiToken } from '../db/resources.ts';
import { generateToken } from './auth/api-tokens.ts';
import type { OrgCall } from './http/call.ts';
import { ApiError } from './http/errors.ts';
import { optional, shown, text, z } from './http/schema.ts';
import { ApiToken } from './resources.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** What a new API token is asked for with. */
export const TokenInput = z.object({
  name: text({ min: 1, max: 100, trim: true, example: 'ci' }),
  expires_in: optional(
    z.int().min(0).max(36_500).openapi({ description: 'Days; 0 means never.', example: 90 }),
  ),
});

/** A new API token; it is shown in full this once. */
export const CreatedToken = z.object({
  token: shown('svc_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b'),
  info: ApiToken,
});

/**
 * Makes an API token.
 * @param projectId null for an org-wide token
 */
export async function issueToken(
  { db, org: { tables }, services, user }: OrgCall,
  projectId: string | null,
  { name, expires_in }: z.output<typeof TokenInput>,
): Promise<z.output<typeof CreatedToken>> {
  const { token, prefix, hash } = generateToken();
  const { id, at } = services.nextId();
  const [row] = await db
    .insert(tables.apiTokens)
    .values({
      id,
      projectId,
      name,
      prefix,
      tokenHash: hash,
      createdBy: user.id,
      expiresAt: expires_in ? new Date(at.getTime() + expires_in * DAY_MS) : null,
      createdAt: at,
    })
    .returning(apiTokenFields(tables));
  if (!row) throw new ApiError('server_error/internal');
  return { token, info: toApiToken(row) };
}
