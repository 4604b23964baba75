import { removeDeliveries } from '../../db/webhooks/deliveries.ts';
import { deleteDestination } from '../../lib/events/following.ts';
import { freshCookieOrg } from '../../lib/http/access.ts';
import { noContent } from '../../lib/http/answer.ts';
import { newValues } from '../../lib/http/audit.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { idParam } from '../../lib/http/fields.ts';
import { logSecurityEvent } from '../../lib/http/security-log.ts';
import { inOrgQuota } from '../../lib/quotas.ts';
import { z } from '../../lib/schema.ts';
import { originOf } from '../../lib/webhooks/fields.ts';
import { requireStillAdmin, requireWebhook } from '../../lib/webhooks/webhooks.ts';

export const deleteWebhook = endpoint(
  {
    method: 'delete',
    path: '/webhooks/{id}',
    access: freshCookieOrg('admin', 'none'),
    audit: 'webhook.deleted',
    tag: 'Webhooks',
    summary: 'Delete a webhook',
    description: 'Its deliveries are deleted, too. Pending ones are not sent.',
    request: { params: z.object({ id: idParam() }) },
    responses: { 204: { description: 'Deleted.' } },
  },
  async (call) => {
    const { log, org, params, services, sql, user } = call;
    const { id } = await call.audited(
      (inside) =>
        inOrgQuota(inside, async (tx) => {
          await requireStillAdmin(tx, org.id, user.id);
          const found = await requireWebhook(tx, org.id, params.id);
          await deleteDestination(tx, found);
          return found;
        }),
      (row) => ({
        target: { type: 'webhook', id: row.id, name: originOf(row) },
        changes: newValues({ events: row.events }),
      }),
    );
    services.outbox.followed(org.id);
    logSecurityEvent(call, 'org_setting_changed', { setting: 'webhook', webhook: id, to: 'deleted' });
    // Nothing reads them any more, so a failure is none of the request.
    await removeDeliveries(sql, org.tables, id).catch((error) =>
      log.warn('the deliveries of a deleted webhook were not removed', { webhook: id, error }),
    );
    return noContent();
  },
);
