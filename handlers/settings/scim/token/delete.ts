import { eq } from 'drizzle-orm';
import { scimTokens as t } from '../../../../db/schema/scim.ts';
import { freshCookieOrg } from '../../../../lib/http/access.ts';
import { noContent } from '../../../../lib/http/answer.ts';
import { endpoint } from '../../../../lib/http/endpoint.ts';
import { logSecurityEvent } from '../../../../lib/http/security-log.ts';
import { mailControl } from '../../../../lib/orgs/notices.ts';
import { inOrgQuota } from '../../../../lib/quotas.ts';
import { requireOwner } from '../../../../lib/sso/membership.ts';

export const deleteScimToken = endpoint(
  {
    method: 'delete',
    path: '/settings/scim/token',
    access: freshCookieOrg('owner', 'none'),
    audit: 'scim_token.removed',
    tag: 'Provisioning',
    summary: 'Remove the token for provisioning',
    description:
      'Ends provisioning with the next request of the identity provider. Members, roles, groups and suspensions stay as they are. Without a token it changes nothing. All owners get a mail.',
    responses: { 204: { description: 'Removed.' } },
  },
  async (call) => {
    const { org, services, user } = call;
    const actor = call.freshActor();
    const removed = await call.audited(
      (inside) =>
        inOrgQuota(inside, async (tx) => {
          await requireOwner(tx, org.id, user.id);
          const [row] = await tx.delete(t).where(eq(t.orgId, org.id)).returning();
          if (row) await mailControl(tx, actor, org.id, 'scim_token_removed', [['Token', `${row.prefix}…`]]);
          return row;
        }),
      (row) => row && { target: { type: 'token', id: row.id, name: row.prefix } },
    );
    services.mail.kick();
    if (removed) logSecurityEvent(call, 'token_revoked', { token: removed.id, scim: true });
    return noContent();
  },
);
