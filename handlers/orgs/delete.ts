import { countSuspended } from '../../db/orgs/deletion.ts';
import { ApiError } from '../../lib/errors.ts';
import { freshCookie } from '../../lib/http/access.ts';
import { noContent } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { requireOrgRole } from '../../lib/http/org-role.ts';
import { logSecurityEvent } from '../../lib/http/security-log.ts';
import { deleteOrganization } from '../../lib/orgs/deletion.ts';
import { withOwnTables } from '../../lib/orgs/tables.ts';
import { text, z } from '../../lib/schema.ts';

const OrganizationDeletion = z
  .object({
    confirm: text({ max: 50, example: 'acme' }).openapi({ description: 'The slug of the organization.' }),
  })
  .openapi('OrganizationDeletion', { example: { confirm: 'acme' } });

export const deleteOrg = endpoint(
  {
    method: 'delete',
    path: '/orgs/{slug}',
    access: freshCookie,
    audit: 'organization.deleted',
    tag: 'Organizations',
    summary: 'Delete an organization',
    description:
      'For owners. Its members and tokens can no longer use it: 403 `tenant_error`/`deleted`. An owner can restore it for 30 days; then it is removed for good. All owners get a mail now, with a link that undoes the deletion for 72 hours (`POST /auth/undo-org-change`), and 3 days before the removal. Nobody else can ever have its slug.',
    request: {
      params: z.object({ slug: text({ max: 50, example: 'acme' }) }),
      body: OrganizationDeletion,
    },
    responses: { 204: { description: 'Deleted.' } },
    errors: [
      'permission_error/denied',
      'permission_error/sso_required',
      'permission_error/mfa_required_by_org',
      'permission_error/address_not_allowed',
      'resource_error/conflict',
      'tenant_error/deleted',
    ],
  },
  async (call) => {
    const { body, params, services } = call;
    const { org, shown } = await requireOrgRole(call, params.slug, 'owner');
    if (shown.deleted_at) throw new ApiError('tenant_error/deleted');
    if (body.confirm !== shown.slug)
      throw new ApiError('validation_error/field_invalid', {
        details: [{ field: 'confirm', message: 'must be the slug of the organization' }],
      });
    const audited = await withOwnTables(services, org);
    const outcome = await call.audited(
      (inside) => deleteOrganization(inside.db, audited, body.confirm, call.freshActor()),
      ({ kind }) =>
        kind === 'deleted'
          ? { org: audited, target: { type: 'organization', id: org.id, name: shown.slug } }
          : undefined,
    );
    if (outcome.kind === 'changed') throw new ApiError('resource_error/not_found');
    if (outcome.kind === 'deleted_before') throw new ApiError('tenant_error/deleted');
    if (outcome.kind === 'in_transfer')
      throw new ApiError('resource_error/conflict', {
        message:
          'A project is being transferred to or from this organization. Wait for its end, or cancel it.',
      });
    services.orgs.forget(org.id);
    services.mail.kick();
    const tokens = await countSuspended(services.database.sql, org.tables);
    const purge_at = outcome.purgeAt.toISOString();
    logSecurityEvent(call, 'org_deleted', { org: shown.slug, tokens, purge_at });
    return noContent();
  },
);
