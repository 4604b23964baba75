import { eq } from 'drizzle-orm';
import { hastenDeliveries } from '../../db/destinations/deliveries.ts';
import { wakeDestinations } from '../../db/events/destinations.ts';
import { destinations as t } from '../../db/schema/destinations.ts';
import {
  requireAddress,
  requireDestination,
  requireProjects,
  requireStillAdmin,
} from '../../lib/destinations/destinations.ts';
import { INTEGRATIONS } from '../../lib/destinations/groups.ts';
import { ApiError } from '../../lib/errors.ts';
import { freshCookieOrg } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { changesOf } from '../../lib/http/audit.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { idParam } from '../../lib/http/fields.ts';
import { logSecurityEvent } from '../../lib/http/security-log.ts';
import {
  auditedValues,
  changedColumns,
  Integration,
  IntegrationChanges,
  isRestarted,
  secretChange,
  targetOf,
  toIntegration,
} from '../../lib/integrations/fields.ts';
import { factsOfChange } from '../../lib/integrations/notices.ts';
import { mailControl } from '../../lib/orgs/notices.ts';
import { inOrgQuota } from '../../lib/quotas.ts';
import { z } from '../../lib/schema.ts';

export const updateIntegration = endpoint(
  {
    method: 'patch',
    path: '/integrations/{id}',
    access: freshCookieOrg('admin', 'none'),
    audit: 'integration.changed',
    tag: 'Integrations',
    summary: 'Change an integration',
    description:
      'Fields that are left out stay; `kind` always does. Only fields of its kind can be changed, and a new `url` or `project` of an issue tracker needs the `token` again. With `enabled: false`, nothing is sent, and scans that end meanwhile are not sent later. Pending deliveries are sent at once after `enabled: true`, which removes `disabled_reason`, and after a change of `url` or `token`. All owners get a mail if what is sent changes, where it is sent, or whether it is sent.',
    request: { params: z.object({ id: idParam() }), body: IntegrationChanges },
    responses: { 200: { description: 'The integration after the change.', result: Integration } },
  },
  async (call) => {
    const { body, now, org, params, services, user } = call;
    const { url } = body;
    if (url !== undefined) requireAddress(services.outbound.webhookRefusal(url));
    const actor = call.freshActor();
    const { after } = await call.audited(
      (inside) =>
        inOrgQuota(inside, async (tx, tables) => {
          await requireStillAdmin(tx, org.id, user.id);
          const before = await requireDestination(tx, org.id, INTEGRATIONS, params.id);
          const { projectIds, mutedProjectIds } = before;
          await requireProjects(tx, tables, 'project_ids', body.project_ids, projectIds);
          await requireProjects(tx, tables, 'muted_project_ids', body.muted_project_ids, mutedProjectIds);
          const target = await targetOf(services.secretBox, before.id, body, before);
          const restarts = isRestarted(before, body, target);
          if (restarts) await hastenDeliveries(tx, tables, { destinationId: before.id, now });
          const columns = changedColumns(before, body, target, now);
          const [after] = await tx.update(t).set(columns).where(eq(t.id, before.id)).returning();
          if (!after) throw new ApiError('resource_error/not_found');
          if (restarts) await wakeDestinations(tx, [after.id], now.toISOString(), true);
          const facts = factsOfChange(before, after);
          if (facts) await mailControl(tx, actor, org.id, 'integration_changed', facts);
          return { before, after, target };
        }),
      ({ before, after, target }) => ({
        target: { type: 'integration', id: after.id, name: INTEGRATIONS.nameOf(after) },
        changes: {
          ...changesOf(auditedValues(before), auditedValues(after)),
          ...secretChange(before, after, target),
        },
      }),
    );
    services.mail.kick();
    logSecurityEvent(call, 'org_setting_changed', {
      setting: 'integration',
      integration: after.id,
      to: 'changed',
    });
    return ok(toIntegration(after));
  },
);
