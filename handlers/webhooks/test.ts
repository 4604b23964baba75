import { wakeDestinations } from '../../db/events/destinations.ts';
import { addTest, pendingTest } from '../../db/webhooks/deliveries.ts';
import { readDelivery } from '../../db/webhooks/list.ts';
import { ApiError } from '../../lib/errors.ts';
import { sessionOrg } from '../../lib/http/access.ts';
import { accepted } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { idParam } from '../../lib/http/fields.ts';
import { inOrgQuota } from '../../lib/quotas.ts';
import { z } from '../../lib/schema.ts';
import { Delivery, toDelivery } from '../../lib/webhooks/deliveries.ts';
import { originOf } from '../../lib/webhooks/fields.ts';
import { requireEnabled, requireStillAdmin, requireWebhook } from '../../lib/webhooks/webhooks.ts';

export const testWebhook = endpoint(
  {
    method: 'post',
    path: '/webhooks/{id}/test',
    access: sessionOrg('admin', 'none'),
    audit: 'webhook.tested',
    tag: 'Webhooks',
    summary: 'Test a webhook',
    description:
      'Sends an event of the type `webhook.test`, whatever `events` has, once. `GET /webhooks/{id}/deliveries` shows the outcome. While a test is pending, further calls return it. A disabled webhook cannot be tested (409 `conflict`).',
    request: { params: z.object({ id: idParam() }) },
    responses: { 202: { description: 'The pending delivery.', result: Delivery } },
    errors: ['resource_error/conflict'],
    storage: 'changes',
  },
  async (call) => {
    const { now, org, params, services, user } = call;
    const { delivery } = await call.audited(
      (inside) =>
        inOrgQuota(inside, async (tx, tables) => {
          await requireStillAdmin(tx, org.id, user.id);
          const webhook = await requireWebhook(tx, org.id, params.id);
          requireEnabled(webhook);
          const pending = await pendingTest(tx, tables, webhook.id);
          const { id, at } = services.nextId();
          if (pending === undefined) await addTest(tx, tables, { destinationId: webhook.id, id, at });
          await wakeDestinations(tx, [webhook.id], now.toISOString(), true);
          const key = { destinationId: webhook.id, id: pending ?? id };
          const delivery = await readDelivery(tx, tables, key);
          if (!delivery) throw new ApiError('resource_error/not_found');
          return { webhook, delivery, isNew: pending === undefined };
        }),
      ({ webhook, isNew }) =>
        isNew ? { target: { type: 'webhook', id: webhook.id, name: originOf(webhook) } } : undefined,
    );
    return accepted(toDelivery(delivery));
  },
);
