import { and, eq, gt, ne, not, sql } from 'drizzle-orm';
import type { Db, Tx } from '../../db/client.ts';
import { expiryOf, type OrgTables } from '../../db/schema/org.ts';
import { memberships, orgs, PROJECT_TOKEN_CREATORS, ROLE_LOSS_RULES } from '../../db/schema/orgs.ts';
import type { Config } from '../config/config.ts';
import { ApiError } from '../errors.ts';
import { readRoles } from '../members/owners.ts';
import { inOrgQuota } from '../quotas.ts';
import { z } from '../schema.ts';
import type { Org } from './directory.ts';
import { type Actor, mailControl } from './notices.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** The security settings of an organization. */
export const SecuritySettings = z
  .object({
    viewer_tokens_verify: z.boolean().openapi({
      description:
        'Whether API tokens made by viewers may confirm fixes (status `verified`). On by default. Off, it is also refused to tokens whose creator has become a viewer or left.',
      example: true,
    }),
    tokens_on_role_loss: z.enum(ROLE_LOSS_RULES).openapi({
      description:
        'What becomes of the API tokens of a member whose role is lowered, or who is no longer a member. `keep`: nothing. `limit` (default): their scopes `read`, `triage` and `admin` allow what the present role of the creator allows, and nothing without a membership; `ingest` keeps working. `revoke`: they are revoked, for good.',
      example: 'limit',
    }),
    project_token_creators: z.enum(PROJECT_TOKEN_CREATORS).openapi({
      description:
        'Who may create API tokens of a project: `any_member`, `members` (also admins and owners) or `admins` (also owners). Default: `any_member`, in strict mode `members`.',
      example: 'any_member',
    }),
    max_token_days: z
      .int()
      .min(1)
      .max(36_500)
      .nullable()
      .openapi({
        type: 'integer',
        nullable: true,
        description:
          'The longest lifetime of API tokens with other scopes than `ingest`, in days. A change ends existing ones after as many days from now. `null` (default): no limit.',
        example: 90,
      } as object),
  })
  .openapi('SecuritySettings');

type Settings = z.output<typeof SecuritySettings>;

const fields = {
  viewer_tokens_verify: orgs.viewerTokensVerify,
  tokens_on_role_loss: orgs.tokensOnRoleLoss,
  project_token_creators: orgs.projectTokenCreators,
  max_token_days: orgs.maxTokenDays,
};

/** Settings that decide over the tokens of admins: only owners change them. */
const OF_OWNERS = ['tokens_on_role_loss', 'project_token_creators', 'max_token_days'] as const;

/** The security settings. @throws ApiError `tenant_error/not_found` */
export async function readSecuritySettings(
  db: Db | Tx,
  { strict }: Pick<Config, 'strict'>,
  orgId: string,
): Promise<Settings> {
  const [row] = await db.select(fields).from(orgs).where(eq(orgs.id, orgId));
  if (!row) throw new ApiError('tenant_error/not_found');
  const { project_token_creators: creators } = row;
  return { ...row, project_token_creators: creators ?? (strict ? 'members' : 'any_member') };
}

/** API tokens that are for more than agents. */
const aboveIngest = ({ apiTokens: t }: OrgTables) => and(not(t.revoked), ne(t.scopes, 'ingest'));

/**
 * Changes the security settings that are given, and tells all owners about those that are not as before.
 * @returns all settings, those of before, and the names of those that changed
 * @throws ApiError `permission_error/denied` if they are not the caller's to change
 */
export const changeSecuritySettings = (
  context: { db: Db; org: Org },
  config: Pick<Config, 'strict'>,
  actor: Actor & { user: { id: string } },
  given: Partial<Settings>,
): Promise<{ before: Settings; settings: Settings; changed: (keyof Settings)[] }> =>
  inOrgQuota(context, async (tx, tables) => {
    const { id } = context.org;
    const { own } = await readRoles(tx, id, { caller: actor.user.id, member: actor.user.id });
    const needed = OF_OWNERS.filter((name) => given[name] !== undefined);
    if ((needed.length > 0 && own !== 'owner') || (own !== 'owner' && own !== 'admin'))
      throw new ApiError('permission_error/denied', {
        ...(needed.length > 0 && { message: `Only an owner may change ${needed.join(', ')}.` }),
      });
    const before = await readSecuritySettings(tx, config, id);
    const settings = { ...before, ...given };
    const changed = (Object.keys(fields) as (keyof Settings)[]).filter(
      (name) => settings[name] !== before[name],
    );
    await tx
      .update(orgs)
      .set({
        viewerTokensVerify: settings.viewer_tokens_verify,
        tokensOnRoleLoss: settings.tokens_on_role_loss,
        // Otherwise it stays the default of the deployment.
        ...(given.project_token_creators && { projectTokenCreators: given.project_token_creators }),
        maxTokenDays: settings.max_token_days,
      })
      .where(eq(orgs.id, id));
    if (changed.includes('max_token_days')) await endTokensEarlier(tx, tables, actor.now, settings);
    for (const name of changed)
      await mailControl(tx, actor, id, 'setting_changed', [
        ['Setting', name],
        ['Now', shown(settings[name])],
      ]);
    return { before, settings, changed };
  });

const shown = (value: Settings[keyof Settings]): string =>
  typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value ?? 'no limit');

async function endTokensEarlier(
  tx: Tx,
  tables: OrgTables,
  now: Date,
  { max_token_days: days }: Settings,
): Promise<void> {
  if (days === null) return;
  const { apiTokens: t } = tables;
  const expiresAt = new Date(now.getTime() + days * DAY_MS);
  const later = gt(expiryOf(t), sql.param(expiresAt, t.expiresAt));
  await tx
    .update(t)
    .set({ expiresAt })
    .where(and(aboveIngest(tables), later));
}

/**
 * Refuses to confirm a fix with a token whose creator is a viewer now, or no longer a member, where the organization has
 * switched that off.
 * @throws ApiError `permission_error/denied`
 */
export async function requireMayVerify(db: Db, org: Org, token: { id: string }): Promise<void> {
  const { apiTokens } = org.tables;
  const [creator] = await db
    .select({ role: sql<string>`coalesce(${memberships.role}, 'former member')` })
    .from(apiTokens)
    .innerJoin(orgs, and(eq(orgs.id, org.id), eq(orgs.viewerTokensVerify, false)))
    .leftJoin(memberships, and(eq(memberships.orgId, orgs.id), eq(memberships.userId, apiTokens.createdBy)))
    .where(eq(apiTokens.id, token.id));
  if (creator?.role === 'viewer' || creator?.role === 'former member') {
    throw new ApiError('permission_error/denied', {
      message: `This organization lets no token confirm fixes that was made by a ${creator.role}.`,
    });
  }
}
