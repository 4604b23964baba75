import { eq } from 'drizzle-orm';
import { ssoConnections as t } from '../../../db/schema/orgs.ts';
import { ApiError } from '../../../lib/errors.ts';
import { freshCookieOrg } from '../../../lib/http/access.ts';
import { created } from '../../../lib/http/answer.ts';
import { newValues } from '../../../lib/http/audit.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { accessEntries, logAccess } from '../../../lib/http/scim/access.ts';
import { logSecurityEvent } from '../../../lib/http/security-log.ts';
import { mailControl } from '../../../lib/orgs/notices.ts';
import { requireIssuer } from '../../../lib/outbound/issuers.ts';
import { inOrgQuota } from '../../../lib/quotas.ts';
import { reapplyRoles } from '../../../lib/scim/roles.ts';
import {
  auditedValues,
  Connection,
  ConnectionInput,
  MAX_CONNECTIONS,
  newColumns,
  toConnection,
} from '../../../lib/sso/connection-fields.ts';
import { exemptOwners, requireOwner } from '../../../lib/sso/membership.ts';

export const createConnection = endpoint(
  {
    method: 'post',
    path: '/settings/connections',
    access: freshCookieOrg('owner', 'none'),
    audit: 'connection.created',
    tag: 'Single sign-on',
    summary: 'Add a connection for single sign-on',
    description: `An OpenID Connect provider that signs in to this organization. People whom it signs in become members, with the role of their groups or \`default_role\`. With \`require_sso\`, members get 403 \`sso_required\` unless a connection of the organization signed them in; owners marked \`break_glass\` are exempt, which switching it on makes all present owners, and all owners if no marked one can sign in with a password. With \`trust_mfa\`, several factors at the provider (\`amr\`, \`acr\`) count as MFA in this organization. An organization has at most ${MAX_CONNECTIONS} connections (409 \`conflict\`). All owners get a mail.`,
    request: { body: ConnectionInput },
    responses: { 201: { description: 'The connection.', result: Connection } },
    errors: ['resource_error/conflict'],
  },
  async (call) => {
    const { body, org, services, user } = call;
    requireIssuer(services.outbound.refusal(body.issuer), body.issuer);
    const actor = call.freshActor();
    const { id, at } = services.nextId();
    const columns = await newColumns(services.secretBox, { id, at, orgId: org.id }, body);
    const { access, row } = await call.audited(
      (inside) =>
        inOrgQuota(inside, async (tx, tables) => {
          await requireOwner(tx, org.id, user.id);
          if ((await tx.$count(t, eq(t.orgId, org.id))) >= MAX_CONNECTIONS)
            throw new ApiError('resource_error/conflict', {
              message: `An organization can have at most ${MAX_CONNECTIONS} connections. Delete one first.`,
            });
          const [inserted] = await tx.insert(t).values(columns).returning();
          if (!inserted) throw new Error('the connection was not inserted');
          await exemptOwners(tx, org.id);
          const access = await reapplyRoles(tx, {
            config: services.config,
            actor,
            org: { id: org.id, tables },
          });
          await mailControl(tx, actor, org.id, 'connection_created', [
            ['Connection', inserted.name],
            ['Provider', inserted.issuer],
          ]);
          return { access, row: inserted };
        }),
      ({ access, row }) => ({
        target: { type: 'connection', id: row.id, name: row.name },
        changes: newValues(auditedValues(row)),
        also: accessEntries(access),
      }),
    );
    services.mail.kick();
    logSecurityEvent(call, 'connection_changed', { connection: id, issuer: row.issuer });
    logAccess(call, access);
    return created(toConnection(services.config, row));
  },
);
