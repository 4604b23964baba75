import { and, eq, gt, ne, not, sql } from 'drizzle-orm';
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
import { LEAST_TOKEN_CREATOR } from '../members/roles.ts';
import type { Org } from '../orgs/directory.ts';
import { type Actor, mailControl } from '../orgs/notices.ts';
import { readSecuritySettings } from '../orgs/security-settings.ts';
import { readProjectRole } from '../projects/members.ts';
import { inOrgQuota, requireRoom } from '../quotas.ts';
import { ApiToken } from '../resources.ts';
import { optional, shown, text, z } from '../schema.ts';
import { generateToken } from './format.ts';
import { lower, rankOf, roleOf, scopesInput, scopesText } from './scopes.ts';

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
    scopes: scopesInput(
      ['ingest', 'read', 'triage'],
      'ingest',
      'Permissions of the token: `ingest` is for agents, `read` for what viewers see of the project, `triage` for what members change in it, which includes `read`. Default: `ingest` alone.',
    ),
  })
  .openapi('NewProjectToken', { example: { name: 'ci', expires_in: 90 } });

/** A new API token; it is shown in full this once. */
export const CreatedToken = z.object({
  token: shown('svc_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b'),
  info: ApiToken,
});

/**
 * Makes an API token. A token that does more than to push findings of a project needs an actor, and all owners get a mail.
 * @param projectId null for an org-wide token
 */
export async function issueToken(
  context: { db: Db; now: Date; org: Org; user: { id: string } },
  { config, nextId }: { config: Pick<Config, 'quotas' | 'strict'>; nextId: () => NewId },
  projectId: string | null,
  { name, scopes, expires_in }: z.output<typeof TokenInput>,
  actor?: Actor,
): Promise<z.output<typeof CreatedToken>> {
  const { now, org, user } = context;
  const { tables } = org;
  const { apiTokens } = tables;
  const role = roleOf(scopes);
  const { token, prefix, hash } = generateToken();
  const { id, at } = nextId();
  const expiresAt = expires_in ? new Date(at.getTime() + expires_in * DAY_MS) : null;
  const row = await inOrgQuota(context, async (tx) => {
    await markUsed(tx, org.id);
    const settings = await readSecuritySettings(tx, config, org);
    const creator = projectId === null ? 'admin' : LEAST_TOKEN_CREATOR[settings.project_token_creators];
    await requireTokenRole(tx, context, projectId, [creator, role ?? creator]);
    if (role !== undefined) requireLifetime(expires_in, settings.max_token_days);
    await requireTokenRoom(tx, config, tables, { now, projectId });
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

/**
 * A member who is removed or demoted at this moment must not get a token that stays. Call it after `lockOrg`.
 * @param projectId null for an org-wide token, which needs access to all projects
 * @throws ApiError `permission_error/denied`, `resource_error/not_found` if the member does not reach the project
 */
export async function requireTokenRole(
  tx: Tx,
  { org, user }: { org: Org; user: { id: string } },
  projectId: string | null,
  needed: readonly Role[],
): Promise<void> {
  const { own } = await readRoles(tx, org.id, { caller: user.id, member: user.id });
  const { isLimited } = own;
  const assigned =
    isLimited && projectId !== null
      ? await readProjectRole(tx, org.tables, { userId: user.id, projectId })
      : undefined;
  if (isLimited && projectId !== null && !assigned) throw new ApiError('resource_error/not_found');
  const role = assigned ? lower(own.role, assigned) : own.role;
  if ((isLimited && projectId === null) || needed.some((least) => rankOf(role) < rankOf(least)))
    throw new ApiError('permission_error/denied', { message: 'Your role may not create this token.' });
}

/** Refuses one more active token than the quotas allow. Call it after `lockOrg`. */
export async function requireTokenRoom(
  tx: Tx,
  config: Pick<Config, 'quotas'>,
  { apiTokens }: OrgTables,
  { now, projectId }: { now: Date; projectId: string | null },
): Promise<void> {
  // In the words of the partial index `api_tokens_active`, so that every plan can use it.
  const active = and(not(apiTokens.revoked), gt(expiryOf(apiTokens), sql.param(now, apiTokens.expiresAt)));
  await requireRoom(tx, config, 'tokensPerOrg', apiTokens, active);
  if (projectId === null) return;
  const ofProject = and(active, eq(apiTokens.projectId, projectId));
  await requireRoom(tx, config, 'tokensPerProject', apiTokens, ofProject);
}

/** @throws ApiError `validation_error/field_invalid` for a longer lifetime than the organization allows */
function requireLifetime(days: number | undefined, max: number | null): void {
  if (max === null || (days && days <= max)) return;
  throw new ApiError('validation_error/field_invalid', {
    details: [
      {
        field: 'expires_in',
        message: `must be 1 to ${max}: tokens of this organization with other scopes than ingest expire`,
      },
    ],
  });
}

interface RevokedToken {
  projectId: string | null;
  name: string;
  createdBy: string;
}

/** The outcome of revoking a token. `revoked_before` changes nothing. */
export type RevokeOutcome =
  | { kind: 'revoked' | 'revoked_before'; token: RevokedToken }
  | { kind: 'other_project' }
  | { kind: 'missing' };

/**
 * Revokes an API token, for good.
 * @param projectId revokes it only as a token of this project
 * @param options.trusts also the trust in a CI system
 * @throws ApiError `permission_error/denied` if it is one, and `trusts` is false
 */
export async function revokeToken(
  db: Db,
  { apiTokens }: OrgTables,
  id: string,
  projectId?: string,
  { trusts = true }: { trusts?: boolean } = {},
): Promise<RevokeOutcome> {
  const { projectId: ofProject, name, createdBy, revoked: isRevoked } = apiTokens;
  const fields = { projectId: ofProject, name, createdBy, revoked: isRevoked };
  const [revoked] = await db
    .update(apiTokens)
    .set({ revoked: true })
    .where(
      and(
        eq(apiTokens.id, id),
        eq(apiTokens.revoked, false),
        projectId === undefined ? undefined : eq(apiTokens.projectId, projectId),
        trusts ? undefined : ne(apiTokens.prefix, ''),
      ),
    )
    .returning(fields);
  if (revoked) return { kind: 'revoked', token: revoked };
  const [found] = await db.select(fields).from(apiTokens).where(eq(apiTokens.id, id));
  if (!found) return { kind: 'missing' };
  if (projectId !== undefined && found.projectId !== projectId) return { kind: 'other_project' };
  if (!found.revoked)
    throw new ApiError('permission_error/denied', {
      message: 'Only admins delete the trust in a CI system.',
    });
  return { kind: 'revoked_before', token: found };
}
