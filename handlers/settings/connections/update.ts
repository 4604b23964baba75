import { eq } from 'drizzle-orm';
import { ssoConnections as t } from '../../../db/schema/orgs.ts';
import { ApiError } from '../../../lib/errors.ts';
import { freshCookieOrg } from '../../../lib/http/access.ts';
import { ok } from '../../../lib/http/answer.ts';
import { changesOf, newValues } from '../../../lib/http/audit.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { idParam } from '../../../lib/http/fields.ts';
import { accessEntries, logAccess } from '../../../lib/http/scim/access.ts';
import { logSecurityEvent } from '../../../lib/http/security-log.ts';
import { mailControl } from '../../../lib/orgs/notices.ts';
import { requireIssuer } from '../../../lib/outbound/issuers.ts';
import { inOrgQuota } from '../../../lib/quotas.ts';
import { z } from '../../../lib/schema.ts';
import { reapplyRoles } from '../../../lib/scim/roles.ts';
import {
  auditedValues,
  Connection,
  ConnectionChanges,
  changedColumns,
  toConnection,
} from '../../../lib/sso/connection-fields.ts';
import { requireConnection } from '../../../lib/sso/connections.ts';
import { exemptOwners, requireOwner } from '../../../lib/sso/membership.ts';
import { endConnectionSessions } from '../../../lib/sso/sessions.ts';

export const updateConnection = endpoint(
  {
    method: 'patch',
    path: '/settings/connections/{id}',
    access: freshCookieOrg('owner', 'none'),
    audit: 'connection.changed',
    tag: 'Single sign-on',
    summary: 'Change a connection for single sign-on',
    description:
      'Fields that are left out stay. Another `issuer` needs its `client_secret` in the same request, so that no secret is sent to another provider. A change of `issuer` or `client_id`, and `enabled: false`, end the sessions that the connection began. Every change of a connection with `require_sso` marks all present owners `break_glass`, and so does a deletion. Roles change with the next sign-in of each member, those of provisioned members at once. All owners get a mail.',
    request: { params: z.object({ id: idParam() }), body: ConnectionChanges },
    responses: { 200: { description: 'The connection.', result: Connection } },
    errors: ['validation_error/field_required'],
  },
  async (call) => {
    const { body, now, org, params, services, user } = call;
    if (body.issuer !== undefined) requireIssuer(services.outbound.refusal(body.issuer), body.issuer);
    const actor = call.freshActor();
    const { access, after } = await call.audited(
      (inside) =>
        inOrgQuota(inside, async (tx, tables) => {
          await requireOwner(tx, org.id, user.id);
          const before = await requireConnection(tx, org.id, params.id);
          if (body.issuer !== undefined && body.issuer !== before.issuer && body.client_secret === undefined)
            throw new ApiError('validation_error/field_required', {
              details: [{ field: 'client_secret', message: 'is required with another issuer' }],
            });
          const columns = await changedColumns(services.secretBox, before, body, now);
          const [after] = await tx.update(t).set(columns).where(eq(t.id, before.id)).returning();
          if (!after) throw new ApiError('resource_error/not_found');
          await exemptOwners(tx, org.id);
          const access = await reapplyRoles(tx, {
            config: services.config,
            actor,
            org: { id: org.id, tables },
          });
          const isOther = after.issuer !== before.issuer || after.clientId !== before.clientId;
          if (isOther || (before.enabled && !after.enabled)) await endConnectionSessions(tx, before.id, now);
          const changed = Object.keys(changesOf(auditedValues(before), auditedValues(after)));
          if (columns.clientSecret !== undefined) changed.push('client_secret');
          if (changed.length > 0)
            await mailControl(tx, actor, org.id, 'connection_changed', [
              ['Connection', after.name],
              ['Changed', changed.join(', ')],
              ...(changed.includes('require_sso')
                ? ([['Single sign-on required', after.requireSso ? 'on' : 'off']] as [string, string][])
                : []),
            ]);
          return { access, before, after };
        }),
      ({ access, before, after }) => ({
        target: { type: 'connection', id: after.id, name: after.name },
        changes: {
          ...changesOf(auditedValues(before), auditedValues(after)),
          ...newValues({ client_secret: body.client_secret === undefined ? undefined : 'replaced' }),
        },
        also: accessEntries(access),
      }),
    );
    services.mail.kick();
    logSecurityEvent(call, 'connection_changed', { connection: after.id, issuer: after.issuer });
    logAccess(call, access);
    return ok(toConnection(services.config, after));
  },
);
