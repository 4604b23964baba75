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
import { originOf, WEBHOOKS } from '../../lib/destinations/groups.ts';
import { ApiError } from '../../lib/errors.ts';
import { freshCookieOrg } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { changesOf } from '../../lib/http/audit.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { idParam } from '../../lib/http/fields.ts';
import { logSecurityEvent } from '../../lib/http/security-log.ts';
import { mailControl } from '../../lib/orgs/notices.ts';
import { inOrgQuota } from '../../lib/quotas.ts';
import { z } from '../../lib/schema.ts';
import {
  auditedValues,
  changedColumns,
  isRestarted,
  toWebhook,
  Webhook,
  WebhookChanges,
} from '../../lib/webhooks/fields.ts';
import { factsOfChange } from '../../lib/webhooks/notices.ts';

export const updateWebhook = endpoint(
  {
    method: 'patch',
    path: '/webhooks/{id}',
    access: freshCookieOrg('admin', 'none'),
    audit: 'webhook.changed',
    tag: 'Webhooks',
    summary: 'Change a webhook',
    description:
      'Fields that are left out stay. With `enabled: false`, nothing is sent, and events that happen meanwhile are not sent later. Pending deliveries are sent at once after `enabled: true`, which removes `disabled_reason`, and after a change of `url`. All owners get a mail about every change of a field.',
    request: { params: z.object({ id: idParam() }), body: WebhookChanges },
    responses: { 200: { description: 'The webhook after the change.', result: Webhook } },
  },
  async (call) => {
    const { body, now, org, params, services, user } = call;
    if (body.url !== undefined) requireAddress(services.outbound.webhookRefusal(body.url));
    const actor = call.freshActor();
    const { after } = await call.audited(
      (inside) =>
        inOrgQuota(inside, async (tx, tables) => {
          await requireStillAdmin(tx, org.id, user.id);
          const before = await requireDestination(tx, org.id, WEBHOOKS, params.id);
          await requireProjects(tx, tables, 'project_ids', body.project_ids, before.projectIds);
          if (isRestarted(before, body))
            await hastenDeliveries(tx, tables, { destinationId: before.id, now });
          const columns = changedColumns(before, body, now);
          const [after] = await tx.update(t).set(columns).where(eq(t.id, before.id)).returning();
          if (!after) throw new ApiError('resource_error/not_found');
          if (isRestarted(before, body)) await wakeDestinations(tx, [after.id], now.toISOString(), true);
          const facts = factsOfChange(before, after);
          if (facts) await mailControl(tx, actor, org.id, 'webhook_changed', facts);
          return { before, after };
        }),
      ({ before, after }) => ({
        target: { type: 'webhook', id: after.id, name: originOf(after) },
        changes: {
          ...changesOf(auditedValues(before), auditedValues(after)),
          ...(after.url !== before.url && { url: { from: originOf(before), to: originOf(after) } }),
        },
      }),
    );
    services.mail.kick();
    logSecurityEvent(call, 'org_setting_changed', { setting: 'webhook', webhook: after.id, to: 'changed' });
    return ok(toWebhook(after, now));
  },
);
