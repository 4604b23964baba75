import { and, desc, eq, not } from 'drizzle-orm';
import type { Db, Tx } from '../../../db/client.ts';
import type { NewId } from '../../../db/ids.ts';
import { markUsed } from '../../../db/orgs/slugs.ts';
import { toResource } from '../../../db/resources.ts';
import { MAX_CLAIMS, MAX_ISSUER } from '../../../db/schema/ci.ts';
import type { OrgTables } from '../../../db/schema/org.ts';
import type { Config } from '../../config/config.ts';
import { ApiError } from '../../errors.ts';
import type { Org } from '../../orgs/directory.ts';
import { plainIssuer } from '../../outbound/issuers.ts';
import { inOrgQuota } from '../../quotas.ts';
import { id, shown, text, timestamp, z } from '../../schema.ts';
import { requireTokenRole, requireTokenRoom } from '../issue.ts';
import { claimsProblem, nameOfTrust, PROVIDERS, providerOf } from './claims.ts';

const EXAMPLE = {
  issuer: 'https://token.actions.githubusercontent.com',
  claims: { repository_id: '123456789', ref: 'refs/heads/main' },
};

/** A trust, as the API shows it. */
export const CiTrust = z
  .object({
    id: id(),
    project_id: id(),
    name: shown('GitHub Actions acme/web-shop', 'The source, by the name that its latest token had.'),
    provider: z.enum(PROVIDERS).openapi({ description: '`other`: a self-managed system.' }),
    issuer: shown(EXAMPLE.issuer),
    claims: z.record(z.string(), z.string()).openapi({ example: EXAMPLE.claims }),
    created_by: id(),
    created_at: timestamp(),
    last_used: timestamp().optional(),
  })
  .openapi('CiTrust');

/** The request for a new trust. */
export const CiTrustInput = z
  .object({
    issuer: text({ min: 1, max: MAX_ISSUER, trim: true, example: EXAMPLE.issuer }).openapi({
      description: 'The address in the claim `iss` of its tokens. A slash at the end makes no difference.',
    }),
    claims: z
      .record(
        z.string(),
        z.union([text({ min: 1, max: MAX_CLAIMS }), z.int()]).transform((value) => String(value)),
      )
      .refine(
        (claims) => JSON.stringify(claims).length <= MAX_CLAIMS,
        `must have at most ${MAX_CLAIMS} characters as JSON`,
      )
      .openapi({
        type: 'object',
        additionalProperties: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
        description:
          'Claims that a token must have, with exactly these values. One must be an id that nobody else can get: `repository_id` or `repository_owner_id` (GitHub), `project_id` (GitLab), `pipeline_id` or `organization_id` (Buildkite), `oidc.circleci.com/project-id` (CircleCI).',
        example: EXAMPLE.claims,
      }),
  })
  .openapi('NewCiTrust', { example: EXAMPLE });

const trustFields = ({ apiTokens: t, ciTrusts: c }: OrgTables) => ({
  id: c.id,
  project_id: c.projectId,
  name: t.name,
  issuer: c.issuer,
  claims: c.claims,
  created_by: t.createdBy,
  created_at: t.createdAt,
  last_used: t.lastUsed,
});

/** The trusts of a project, newest first. */
export async function listTrusts(db: Db | Tx, tables: OrgTables, projectId: string, issuer?: string) {
  const { apiTokens: t, ciTrusts: c } = tables;
  const rows = await db
    .select(trustFields(tables))
    .from(c)
    .innerJoin(t, eq(t.id, c.id))
    .where(
      and(
        eq(c.projectId, projectId),
        issuer === undefined ? undefined : eq(c.issuer, issuer),
        not(t.revoked),
        not(t.suspended),
      ),
    )
    .orderBy(desc(c.id));
  return rows.map(({ claims, ...row }) => ({
    ...toResource(row),
    provider: providerOf(row.issuer),
    claims: JSON.parse(claims) as Record<string, string>,
  }));
}

export type Trust = Awaited<ReturnType<typeof listTrusts>>[number];

/** No secret has this hash. */
const NO_SECRET = { prefix: '', tokenHash: '0'.repeat(64) };

/**
 * Makes a trust and its API token.
 * @throws ApiError `validation_error/field_invalid` if the claims do not identify the source for good
 */
export async function createTrust(
  context: { db: Db; now: Date; org: Org; user: { id: string } },
  { config, nextId }: { config: Pick<Config, 'quotas'>; nextId: () => NewId },
  projectId: string,
  { issuer: given, claims }: z.output<typeof CiTrustInput>,
): Promise<Trust> {
  const issuer = plainIssuer(given);
  const message = claimsProblem(issuer, claims);
  if (message !== undefined)
    throw new ApiError('validation_error/field_invalid', { details: [{ field: 'claims', message }] });
  const { id: trustId, at } = nextId();
  return inOrgQuota(context, async (tx, tables) => {
    await markUsed(tx, context.org.id);
    await requireTokenRole(tx, context, projectId, ['admin']);
    await requireTokenRoom(tx, config, tables, { now: context.now, projectId });
    await tx.insert(tables.apiTokens).values({
      ...{ id: trustId, projectId, name: nameOfTrust(issuer, claims), ...NO_SECRET, scopes: 'ingest' },
      ...{ createdBy: context.user.id, createdAt: at },
    });
    const row = { id: trustId, projectId, issuer, claims: JSON.stringify(claims) };
    await tx.insert(tables.ciTrusts).values(row);
    const made = (await listTrusts(tx, tables, projectId, issuer)).find((trust) => trust.id === trustId);
    if (!made) throw new Error('the trust was not inserted');
    return made;
  });
}
