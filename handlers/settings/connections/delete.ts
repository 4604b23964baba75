import { eq } from 'drizzle-orm';
import { ssoConnections as t } from '../../../db/schema/orgs.ts';
import { freshCookieOrg } from '../../../lib/http/access.ts';
import { noContent } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { idParam } from '../../../lib/http/fields.ts';
import { accessEntries, logAccess } from '../../../lib/http/scim/access.ts';
import { logSecurityEvent } from '../../../lib/http/security-log.ts';
import { mailControl } from '../../../lib/orgs/notices.ts';
import { inOrgQuota } from '../../../lib/quotas.ts';
import { z } from '../../../lib/schema.ts';
import { reapplyRoles } from '../../../lib/scim/roles.ts';
import { requireConnection } from '../../../lib/sso/connections.ts';
import { exemptOwners, requireOwner } from '../../../lib/sso/membership.ts';
import { endConnectionSessions } from '../../../lib/sso/sessions.ts';

export const deleteConnection = endpoint(
  {
    method: 'delete',
    path: '/settings/connections/{id}',
    access: freshCookieOrg('owner', 'none'),
    audit: 'connection.deleted',
    tag: 'Single sign-on',
    summary: 'Delete a connection for single sign-on',
    description:
      'Ends the sessions that it began. Its members stay, with the roles that they have: remove those who should go. Roles of provisioned members follow the mappings of the connections that are left, if there are any. All owners get a mail.',
    request: { params: z.object({ id: idParam() }) },
    responses: { 204: { description: 'Deleted.' } },
  },
  async (call) => {
    const { now, org, params, services, user } = call;
    const actor = call.freshActor();
    const { access, row } = await call.audited(
      (inside) =>
        inOrgQuota(inside, async (tx, tables) => {
          await requireOwner(tx, org.id, user.id);
          const found = await requireConnection(tx, org.id, params.id);
          await tx.delete(t).where(eq(t.id, found.id));
          await endConnectionSessions(tx, found.id, now);
          await exemptOwners(tx, org.id);
          const access = await reapplyRoles(tx, {
            config: services.config,
            actor,
            org: { id: org.id, tables },
          });
          await mailControl(tx, actor, org.id, 'connection_deleted', [
            ['Connection', found.name],
            ['Provider', found.issuer],
          ]);
          return { access, row: found };
        }),
      ({ access, row: { id, name, issuer } }) => ({
        target: { type: 'connection', id, name },
        changes: { issuer: { from: issuer } },
        also: accessEntries(access),
      }),
    );
    services.mail.kick();
    logSecurityEvent(call, 'connection_changed', { connection: row.id, issuer: row.issuer });
    logAccess(call, access);
    return noContent();
  },
);
