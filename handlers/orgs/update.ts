import { and, eq } from 'drizzle-orm';
import type { Tx } from '../../db/client.ts';
import { readDeletion } from '../../db/orgs/deletion.ts';
import { memberships, orgs, type Role, reservedSlugs } from '../../db/schema/orgs.ts';
import { ApiError } from '../../lib/errors.ts';
import { freshCookieTo } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { changesOf } from '../../lib/http/audit.ts';
import type { CookieCall } from '../../lib/http/call.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { name, orgSlug } from '../../lib/http/fields.ts';
import { requireOrgRole } from '../../lib/http/org-role.ts';
import { logSecurityEvent } from '../../lib/http/security-log.ts';
import { isActive, isLimited } from '../../lib/members/fields.ts';
import { listOrgsOf } from '../../lib/orgs/list.ts';
import { renameOrg } from '../../lib/orgs/rename.ts';
import { isReservedSlug } from '../../lib/orgs/slugs.ts';
import { withOwnTables } from '../../lib/orgs/tables.ts';
import { requireNoMore } from '../../lib/quotas.ts';
import { Organization } from '../../lib/resources.ts';
import { text, z } from '../../lib/schema.ts';
import { rankOf } from '../../lib/tokens/scopes.ts';

const OrganizationChanges = z
  .object({ name: name('Acme').optional(), slug: orgSlug().optional() })
  .refine((body) => body.name !== undefined || body.slug !== undefined, {
    path: ['name'],
    message: 'is required, or slug',
  })
  .openapi('OrganizationChanges', { example: { name: 'Acme' } });

export const updateOrg = endpoint(
  {
    method: 'patch',
    path: '/orgs/{slug}',
    access: freshCookieTo('to change the slug'),
    audit: 'organization.changed',
    tag: 'Organizations',
    summary: 'Rename an organization',
    description:
      'Admins change the name, owners also the slug, about which all owners get a mail. The former slug still leads to the organization, in hosts, `X-Org-Slug` and paths, and no other organization can have it. At least one field is required. Answers 409 `conflict` when the organization has reached its limit of former slugs.',
    request: { params: z.object({ slug: text({ max: 50, example: 'acme' }) }), body: OrganizationChanges },
    responses: { 200: { description: 'The organization after the change.', result: Organization } },
    errors: [
      'permission_error/denied',
      'permission_error/sso_required',
      'permission_error/mfa_required_by_org',
      'permission_error/address_not_allowed',
      'resource_error/conflict',
      'tenant_error/deleted',
      'tenant_error/slug_reserved',
      'tenant_error/slug_taken',
    ],
  },
  async (call) => {
    const { body, now, params, services } = call;
    const least = body.slug === undefined ? 'admin' : 'owner';
    const { org, shown } = await requireOrgRole(call, params.slug, least);
    if (shown.deleted_at) throw new ApiError('tenant_error/deleted');
    const isNewSlug = body.slug !== undefined && body.slug !== shown.slug;
    if (isNewSlug && isReservedSlug(body.slug as string)) throw new ApiError('tenant_error/slug_reserved');
    const audited = await withOwnTables(services, org);
    const change = (inside: typeof call) =>
      renameOrg(
        inside.db,
        org.id,
        { ...body, now },
        {
          actor: call.freshActor,
          read: (tx) => readChangeable(tx, call, org.id, least),
          check: (tx) =>
            requireNoMore(
              tx,
              services.config,
              'formerSlugsPerOrg',
              reservedSlugs,
              eq(reservedSlugs.orgId, org.id),
            ),
        },
      );
    const before = await call.audited(
      change,
      (former) =>
        former && {
          org: audited,
          target: { type: 'organization', id: org.id, name: former.slug },
          changes: changesOf(former, { ...former, ...body }, ['name', 'slug']),
        },
    );
    if (!before) throw new ApiError('tenant_error/slug_taken');
    services.orgs.forget(org.id);
    services.mail.kick();
    for (const setting of ['name', 'slug'] as const)
      if (body[setting] !== undefined && body[setting] !== before[setting])
        logSecurityEvent(call, 'org_setting_changed', { org: before.slug, setting, to: body[setting] });
    const [changed] = await listOrgsOf(call, services, { where: eq(orgs.id, org.id) });
    if (!changed) throw new ApiError('resource_error/not_found');
    return ok(changed);
  },
);

/** The organization under its lock. The role and the access may have changed since the access check. */
async function readChangeable(tx: Tx, { user }: CookieCall, orgId: string, least: Role) {
  const [current] = await tx
    .select({ id: orgs.id, name: orgs.name, slug: orgs.slug, role: memberships.role, isLimited })
    .from(orgs)
    .innerJoin(memberships, and(eq(memberships.orgId, orgs.id), eq(memberships.userId, user.id), isActive))
    .where(eq(orgs.id, orgId));
  if (!current) throw new ApiError('resource_error/not_found');
  if (current.isLimited || rankOf(current.role) < rankOf(least))
    throw new ApiError('permission_error/denied');
  if (await readDeletion(tx, orgId)) throw new ApiError('tenant_error/deleted');
  return current;
}
