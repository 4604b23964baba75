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
import { INTEGRATIONS, originOf } from '../../lib/destinations/groups.ts';
import { ApiError } from '../../lib/errors.ts';
import { freshCookieOrg } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { changesOf } from '../../lib/http/audit.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { idParam } from '../../lib/http/fields.ts';
import { logSecurityEvent } from '../../lib/http/security-log.ts';
import { sealAddress } from '../../lib/integrations/address.ts';
import {
  auditedValues,
  changedColumns,
  Integration,
  IntegrationChanges,
  isRestarted,
  toIntegration,
} from '../../lib/integrations/fields.ts';
import { changedNames, factsOf } from '../../lib/integrations/notices.ts';
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
      'Fields that are left out stay; `kind` always does. With `enabled: false`, nothing is sent, and scans that end meanwhile are not sent later. Pending deliveries are sent at once after `enabled: true`, which removes `disabled_reason`, and after a change of `url`. All owners get a mail if `url`, `project_ids`, `muted_project_ids` or `min_severity` change.',
    request: { params: z.object({ id: idParam() }), body: IntegrationChanges },
    responses: { 200: { description: 'The integration after the change.', result: Integration } },
  },
  async (call) => {
    const { body, now, org, params, services, user } = call;
    const { url } = body;
    if (url !== undefined) requireAddress(services.outbound.webhookRefusal(url));
    const actor = call.freshActor();
    const sealed = url === undefined ? undefined : await sealAddress(services.secretBox, params.id, url);
    const { after } = await call.audited(
      (inside) =>
        inOrgQuota(inside, async (tx, tables) => {
          await requireStillAdmin(tx, org.id, user.id);
          const before = await requireDestination(tx, org.id, INTEGRATIONS, params.id);
          const { projectIds, mutedProjectIds } = before;
          await requireProjects(tx, tables, 'project_ids', body.project_ids, projectIds);
          await requireProjects(tx, tables, 'muted_project_ids', body.muted_project_ids, mutedProjectIds);
          const restarts = isRestarted(before, body);
          if (restarts) await hastenDeliveries(tx, tables, { destinationId: before.id, now });
          const columns = changedColumns(before, body, sealed, now);
          const [after] = await tx.update(t).set(columns).where(eq(t.id, before.id)).returning();
          if (!after) throw new ApiError('resource_error/not_found');
          if (restarts) await wakeDestinations(tx, [after.id], now.toISOString(), true);
          const changed = changedNames(before, after);
          if (changed.length > 0)
            await mailControl(tx, actor, org.id, 'integration_changed', [
              ...factsOf(after),
              ['Changed', changed.join(', ')],
            ]);
          return { before, after };
        }),
      ({ before, after }) => ({
        target: { type: 'integration', id: after.id, name: INTEGRATIONS.nameOf(after) },
        changes: {
          ...changesOf(auditedValues(before), auditedValues(after)),
          ...(sealed && { url: { from: originOf(before), to: originOf(after) } }),
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
