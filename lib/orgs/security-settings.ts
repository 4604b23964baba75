import { and, eq, gt, ne, not, sql } from 'drizzle-orm';
import type { Db, Tx } from '../../db/client.ts';
import { networksIn, networksOf } from '../../db/orgs/networks.ts';
import { expiryOf, type OrgTables } from '../../db/schema/org.ts';
import { memberships, orgs, PROJECT_TOKEN_CREATORS, ROLE_LOSS_RULES } from '../../db/schema/orgs.ts';
import type { Config } from '../config/config.ts';
import { ApiError } from '../errors.ts';
import { isLimited } from '../members/fields.ts';
import { readRoles, requireAdmin } from '../members/owners.ts';
import { blockText, parseRange, type Range } from '../network.ts';
import { inOrgQuota } from '../quotas.ts';
import { z } from '../schema.ts';
import { isAllowed } from './access-limits.ts';
import type { Org } from './directory.ts';
import { type Actor, mailControl } from './notices.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

const MAX_NETWORKS = 50;

const network = z
  .string()
  .max(50)
  .refine((text) => parseRange(text) !== undefined, 'must be an address or a CIDR block')
  .transform((text) => blockText(parseRange(text) as Range));

/** An optional whole number. */
const nullable = (min: number, max: number) =>
  z
    .int()
    .min(min)
    .max(max)
    .nullable()
    .openapi({ type: 'integer', nullable: true, example: min } as object);

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
    allowed_networks: z
      .array(network)
      .max(MAX_NETWORKS)
      .openapi({
        description:
          'The networks from which members and tokens reach the organization: addresses, or CIDR blocks such as `203.0.113.0/24`. Empty (default): all. The own address has to be in one of them.',
        example: ['203.0.113.0/24'],
      }),
    session_idle_minutes: nullable(5, 1_440).openapi({
      description:
        'After this many minutes without a request, members confirm who they are by a step-up before they go on. `null` (default): only as long as their session lives.',
    }),
    session_max_hours: nullable(1, 24).openapi({
      description:
        'Members confirm who they are this many hours after a sign-in or step-up. `null` (default): only as long as their session lives.',
    }),
  })
  .openapi('SecuritySettings');

type Settings = z.output<typeof SecuritySettings>;

const fields = {
  viewer_tokens_verify: orgs.viewerTokensVerify,
  tokens_on_role_loss: orgs.tokensOnRoleLoss,
  project_token_creators: orgs.projectTokenCreators,
  max_token_days: orgs.maxTokenDays,
  session_idle_minutes: orgs.sessionIdleMinutes,
  session_max_hours: orgs.sessionMaxHours,
};

/** Settings that decide over the tokens and the access of admins: only owners change them. */
const OF_OWNERS = [
  ...(['tokens_on_role_loss', 'project_token_creators', 'max_token_days'] as const),
  ...(['allowed_networks', 'session_idle_minutes', 'session_max_hours'] as const),
];

/** The security settings. @throws ApiError `tenant_error/not_found` */
export async function readSecuritySettings(
  db: Db | Tx,
  { strict }: Pick<Config, 'strict'>,
  { id, tables }: Pick<Org, 'id' | 'tables'>,
): Promise<Settings> {
  const [row] = await db
    .select({ ...fields, networks: networksOf(tables) })
    .from(orgs)
    .where(eq(orgs.id, id));
  if (!row) throw new ApiError('tenant_error/not_found');
  const { networks, project_token_creators: creators, ...settings } = row;
  return {
    ...settings,
    project_token_creators: creators ?? (strict ? 'members' : 'any_member'),
    allowed_networks: [...networksIn(networks)],
  };
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
  actor: Actor & { user: { id: string }; ip: string },
  given: Partial<Settings>,
): Promise<{ before: Settings; settings: Settings; changed: (keyof Settings)[] }> =>
  inOrgQuota(context, async (tx, tables) => {
    const { id } = context.org;
    const { own } = await readRoles(tx, id, { caller: actor.user.id, member: actor.user.id });
    const needed = OF_OWNERS.filter((name) => given[name] !== undefined);
    if (needed.length === 0) requireAdmin(own);
    else if (own.role !== 'owner')
      throw new ApiError('permission_error/denied', {
        message: `Only an owner may change ${needed.join(', ')}.`,
      });
    const before = await readSecuritySettings(tx, config, { id, tables });
    const networks = given.allowed_networks && [...new Set(given.allowed_networks)].sort();
    const settings = { ...before, ...given, ...(networks && { allowed_networks: networks }) };
    const changed = (Object.keys(before) as (keyof Settings)[]).filter(
      (name) => shown(settings[name]) !== shown(before[name]),
    );
    if (changed.includes('allowed_networks')) await allowNetworks(tx, tables, settings, actor.ip);
    await tx
      .update(orgs)
      .set({
        viewerTokensVerify: settings.viewer_tokens_verify,
        tokensOnRoleLoss: settings.tokens_on_role_loss,
        // Otherwise it stays the default of the deployment.
        ...(given.project_token_creators && { projectTokenCreators: given.project_token_creators }),
        maxTokenDays: settings.max_token_days,
        sessionIdleMinutes: settings.session_idle_minutes,
        sessionMaxHours: settings.session_max_hours,
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
  typeof value === 'boolean'
    ? value
      ? 'on'
      : 'off'
    : Array.isArray(value)
      ? value.toSorted().join(', ') || 'all'
      : String(value ?? 'no limit');

/** @throws ApiError `validation_error/field_invalid` if the caller would be locked out */
async function allowNetworks(
  tx: Tx,
  { allowedNetworks: t }: OrgTables,
  { allowed_networks: networks }: Settings,
  ip: string,
): Promise<void> {
  if (!isAllowed(networks, ip))
    throw new ApiError('validation_error/field_invalid', {
      details: [
        {
          field: 'allowed_networks',
          message: `must contain your own address, ${ip || 'which is not known'}`,
        },
      ],
    });
  await tx.delete(t);
  if (networks.length > 0) await tx.insert(t).values(networks.map((text) => ({ network: text })));
}

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
 * Refuses to confirm a fix with a token whose creator is a viewer of the organization or of the project now, or no longer a member,
 * where the organization has switched that off.
 * @throws ApiError `permission_error/denied`
 */
export async function requireMayVerify(
  db: Db,
  org: Org,
  { token, findingId }: { token: { id: string }; findingId: string },
): Promise<void> {
  const { apiTokens, findings: f, projectMembers: m } = org.tables;
  const [creator] = await db
    .select({
      userId: memberships.userId,
      role: sql<string>`case when ${memberships.suspendedAt} is null then coalesce(${memberships.role}, 'former member') else 'former member' end`,
      isLimited: sql<boolean>`${isLimited} is true`,
    })
    .from(apiTokens)
    .innerJoin(orgs, and(eq(orgs.id, org.id), eq(orgs.viewerTokensVerify, false)))
    .leftJoin(memberships, and(eq(memberships.orgId, orgs.id), eq(memberships.userId, apiTokens.createdBy)))
    .where(eq(apiTokens.id, token.id));
  const [assigned] = creator?.isLimited
    ? await db
        .select({ role: m.role })
        .from(f)
        .innerJoin(m, and(eq(m.projectId, f.projectId), eq(m.userId, creator.userId ?? '')))
        .where(eq(f.id, findingId))
    : [];
  if (!creator) return;
  const { isLimited: isOfProjects, role } = creator;
  const isViewer = role === 'viewer' || (isOfProjects && (assigned?.role ?? 'viewer') === 'viewer');
  // A suspended member may have a role in the project.
  const refused = role === 'former member' ? role : isViewer ? 'viewer' : undefined;
  if (refused)
    throw new ApiError('permission_error/denied', {
      message: `This organization lets no token confirm fixes that was made by a ${refused}.`,
    });
}
