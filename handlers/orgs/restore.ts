import { eq } from 'drizzle-orm';
import { orgs } from '../../db/schema/orgs.ts';
import { ApiError } from '../../lib/errors.ts';
import { freshCookie } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { requireOrgRole } from '../../lib/http/org-role.ts';
import { logSecurityEvent } from '../../lib/http/security-log.ts';
import { restoreOrganization } from '../../lib/orgs/deletion.ts';
import { listOrgsOf } from '../../lib/orgs/list.ts';
import { withOwnTables } from '../../lib/orgs/tables.ts';
import { Organization } from '../../lib/resources.ts';
import { text, z } from '../../lib/schema.ts';

export const restoreOrg = endpoint(
  {
    method: 'post',
    path: '/orgs/{slug}/restore',
    access: freshCookie,
    audit: 'organization.restored',
    tag: 'Organizations',
    summary: 'Restore a deleted organization',
    description:
      'For owners, until the organization is removed for good. Its members and tokens can use it again; a token that was revoked or has expired stays so. All owners get a mail. Answers 409 `conflict` if it is not deleted.',
    request: { params: z.object({ slug: text({ max: 50, example: 'acme' }) }) },
    responses: { 200: { description: 'The organization.', result: Organization } },
    errors: [
      ...(['permission_error/denied', 'permission_error/sso_required'] as const),
      ...(['permission_error/mfa_required_by_org', 'permission_error/address_not_allowed'] as const),
      'resource_error/conflict',
    ],
  },
  async (call) => {
    const { params, services } = call;
    const { org, shown } = await requireOrgRole(call, params.slug, 'owner');
    const audited = await withOwnTables(services, org);
    const { kind } = await call.audited(
      (inside) => restoreOrganization(inside.db, audited, call.freshActor()),
      (outcome) =>
        outcome.kind === 'restored'
          ? { org: audited, target: { type: 'organization', id: org.id, name: shown.slug } }
          : undefined,
    );
    if (kind === 'changed') throw new ApiError('resource_error/not_found');
    if (kind === 'not_deleted')
      throw new ApiError('resource_error/conflict', { message: 'The organization is not deleted.' });
    services.mail.kick();
    logSecurityEvent(call, 'org_restored', { org: shown.slug });
    const [restored] = await listOrgsOf(call, services, { where: eq(orgs.id, org.id) });
    if (!restored) throw new ApiError('resource_error/not_found');
    return ok(restored);
  },
);
