import { destinations as t } from '../../db/schema/destinations.ts';
import {
  requireAddress,
  requireProjects,
  requireRoom,
  requireStillAdmin,
} from '../../lib/destinations/destinations.ts';
import { INTEGRATIONS, MAX_DESTINATIONS } from '../../lib/destinations/groups.ts';
import { follow } from '../../lib/events/following.ts';
import { freshCookieOrg } from '../../lib/http/access.ts';
import { created } from '../../lib/http/answer.ts';
import { newValues } from '../../lib/http/audit.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { logSecurityEvent } from '../../lib/http/security-log.ts';
import { sealAddress } from '../../lib/integrations/address.ts';
import {
  auditedValues,
  Integration,
  IntegrationInput,
  newColumns,
  toIntegration,
} from '../../lib/integrations/fields.ts';
import { factsOf } from '../../lib/integrations/notices.ts';
import { mailControl } from '../../lib/orgs/notices.ts';
import { inOrgQuota } from '../../lib/quotas.ts';

export const createIntegration = endpoint(
  {
    method: 'post',
    path: '/integrations',
    access: freshCookieOrg('admin', 'none'),
    audit: 'integration.created',
    tag: 'Integrations',
    summary: 'Add an integration',
    description: `A chat service gets a message for each scan that fails from now on, or completes with new or regressed findings. An organization has at most ${MAX_DESTINATIONS} integrations (409 \`conflict\`). All owners get a mail.`,
    request: { body: IntegrationInput },
    responses: { 201: { description: 'The integration.', result: Integration } },
    errors: ['resource_error/conflict'],
  },
  async (call) => {
    const { body, org, services, user } = call;
    requireAddress(services.outbound.webhookRefusal(body.url));
    const actor = call.freshActor();
    const { id, at } = services.nextId();
    const sealed = await sealAddress(services.secretBox, id, body.url);
    const row = await call.audited(
      (inside) =>
        inOrgQuota(inside, async (tx, tables) => {
          await requireStillAdmin(tx, org.id, user.id);
          await requireRoom(tx, org.id, INTEGRATIONS);
          await requireProjects(tx, tables, 'project_ids', body.project_ids);
          await requireProjects(tx, tables, 'muted_project_ids', body.muted_project_ids);
          const columns = newColumns({ id, at, orgId: org.id, sealed }, body);
          const [inserted] = await tx.insert(t).values(columns).returning();
          if (!inserted) throw new Error('the integration was not inserted');
          await follow(tx, org.id, at);
          await mailControl(tx, actor, org.id, 'integration_created', factsOf(inserted));
          return inserted;
        }),
      (made) => ({
        target: { type: 'integration', id: made.id, name: INTEGRATIONS.nameOf(made) },
        changes: newValues(auditedValues(made)),
      }),
    );
    services.mail.kick();
    services.outbox.followed(org.id);
    logSecurityEvent(call, 'org_setting_changed', { setting: 'integration', integration: id, to: 'created' });
    return created(toIntegration(row));
  },
);
