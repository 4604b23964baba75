import { and, eq, gt, not, sql } from 'drizzle-orm';
import type { Db, Tx } from '../../db/client.ts';
import type { NewId } from '../../db/ids.ts';
import { markUsed } from '../../db/orgs/slugs.ts';
import { apiTokenFields, toApiToken } from '../../db/resources.ts';
import { expiryOf, type OrgTables } from '../../db/schema/org.ts';
import type { Role } from '../../db/schema/orgs.ts';
import { TOKEN_SCOPES } from '../../db/schema/values.ts';
import type { Config } from '../config/config.ts';
import { ApiError } from '../errors.ts';
import { withoutPhone } from '../mail/templates/letter.ts';
import { readRoles } from '../members/owners.ts';
import type { Org } from '../orgs/directory.ts';
import { type Actor, mailControl } from '../orgs/notices.ts';
import { inOrgQuota, requireRoom } from '../quotas.ts';
import { ApiToken } from '../resources.ts';
import { optional, shown, text, z } from '../schema.ts';
import { generateToken } from './format.ts';
import { rankOf, scopesInput, scopesText } from './scopes.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

const tokenShape = {
  name: text({ min: 1, max: 100, trim: true, example: 'ci' }),
  expires_in: optional(
    z.int().min(0).max(36_500).openapi({ description: 'Days; 0 means never.', example: 90 }),
  ),
};

/** The request for a new org-wide token. */
export const TokenInput = z
  .object({
    ...tokenShape,
    scopes: scopesInput(
      TOKEN_SCOPES,
      'ingest',
      'Permissions of the token: `ingest` is for agents, `read` for what viewers see, `triage` for what members change, `admin` for what admins change. `triage` includes `read`, and `admin` both. Default: `ingest` alone.',
    ),
  })
  .openapi('NewToken', { example: { name: 'nightly report', scopes: ['read'], expires_in: 90 } });

/** The request for a new project token. */
export const ProjectTokenInput = z
  .object({
    ...tokenShape,
    scopes: scopesInput(['ingest'], 'ingest', 'A project token is for agents: it has the scope `ingest`.'),
  })
  .openapi('NewProjectToken', { example: { name: 'ci', expires_in: 90 } });

/** A new API token; it is shown in full this once. */
export const CreatedToken = z.object({
  token: shown('svc_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b'),
  info: ApiToken,
});

/**
 * Makes an API token. All owners get a mail about one that does more than to push findings of a project.
 * @param context.freshActor called for such a token
 * @param projectId null for an org-wide token
 */
export async function issueToken(
  context: { db: Db; now: Date; org: Org; user: { id: string }; freshActor(): Actor },
  { config, nextId }: { config: Pick<Config, 'quotas'>; nextId: () => NewId },
  projectId: string | null,
  { name, scopes, expires_in }: z.output<typeof TokenInput>,
): Promise<z.output<typeof CreatedToken>> {
  const { now, org, user } = context;
  const { tables } = org;
  const { apiTokens } = tables;
  const isControl = projectId === null || scopes.some((scope) => scope !== 'ingest');
  const actor = isControl ? context.freshActor() : undefined;
  const { token, prefix, hash } = generateToken();
  const { id, at } = nextId();
  const expiresAt = expires_in ? new Date(at.getTime() + expires_in * DAY_MS) : null;
  // In the words of the partial index `api_tokens_active`, so that every plan can use it.
  const active = and(not(apiTokens.revoked), gt(expiryOf(apiTokens), sql.param(now, apiTokens.expiresAt)));
  const row = await inOrgQuota(context, async (tx) => {
    await markUsed(tx, org.id);
    await requireRole(tx, context, projectId === null ? 'admin' : 'viewer');
    await requireRoom(tx, config, 'tokensPerOrg', apiTokens, active);
    if (projectId !== null) {
      const ofProject = and(active, eq(apiTokens.projectId, projectId));
      await requireRoom(tx, config, 'tokensPerProject', apiTokens, ofProject);
    }
    const values = {
      id,
      projectId,
      name,
      scopes: scopesText(scopes),
      prefix,
      tokenHash: hash,
      createdBy: user.id,
    };
    const [inserted] = await tx
      .insert(apiTokens)
      .values({ ...values, expiresAt, createdAt: at })
      .returning(apiTokenFields(tables));
    if (actor)
      await mailControl(tx, actor, org.id, 'token_created', [
        ['Token', withoutPhone(name)],
        ['Scopes', scopes.join(', ')],
        ['Expires', expiresAt?.toISOString().slice(0, 10) ?? 'never'],
      ]);
    return inserted;
  });
  if (!row) throw new ApiError('server_error/internal');
  return { token, info: toApiToken(row) };
}

/** A member who is removed or demoted at this moment must not get a token that stays. Call it after `lockOrg`. */
async function requireRole(tx: Tx, { org, user }: { org: Org; user: { id: string } }, least: Role) {
  const { own } = await readRoles(tx, org.id, { caller: user.id, member: user.id });
  if (rankOf(own) < rankOf(least)) throw new ApiError('permission_error/denied');
}

interface RevokedToken {
  projectId: string | null;
  name: string;
  createdBy: string;
}

/** The outcome of revoking a token. `revoked_before` changes nothing. */
export type RevokeOutcome =
  | { kind: 'revoked'; token: RevokedToken }
  | { kind: 'revoked_before' }
  | { kind: 'other_project' }
  | { kind: 'missing' };

/**
 * Revokes an API token, for good.
 * @param projectId revokes it only as a token of this project
 */
export async function revokeToken(
  db: Db,
  { apiTokens }: OrgTables,
  id: string,
  projectId?: string,
): Promise<RevokeOutcome> {
  const fields = { projectId: apiTokens.projectId, name: apiTokens.name, createdBy: apiTokens.createdBy };
  const [revoked] = await db
    .update(apiTokens)
    .set({ revoked: true })
    .where(
      and(
        eq(apiTokens.id, id),
        eq(apiTokens.revoked, false),
        projectId === undefined ? undefined : eq(apiTokens.projectId, projectId),
      ),
    )
    .returning(fields);
  if (revoked) return { kind: 'revoked', token: revoked };
  const [found] = await db.select(fields).from(apiTokens).where(eq(apiTokens.id, id));
  if (!found) return { kind: 'missing' };
  const isOther = projectId !== undefined && found.projectId !== projectId;
  return { kind: isOther ? 'other_project' : 'revoked_before' };
}
