import { wakeDestinations } from '../../../db/events/destinations.ts';
import { repeatDelivery } from '../../../db/webhooks/deliveries.ts';
import { readDelivery } from '../../../db/webhooks/list.ts';
import { ApiError } from '../../../lib/errors.ts';
import { sessionOrg } from '../../../lib/http/access.ts';
import { accepted } from '../../../lib/http/answer.ts';
import { newValues } from '../../../lib/http/audit.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { idParam } from '../../../lib/http/fields.ts';
import { inOrgQuota } from '../../../lib/quotas.ts';
import { z } from '../../../lib/schema.ts';
import { Delivery, toDelivery } from '../../../lib/webhooks/deliveries.ts';
import { originOf } from '../../../lib/webhooks/fields.ts';
import { requireEnabled, requireStillAdmin, requireWebhook } from '../../../lib/webhooks/webhooks.ts';

export const redeliver = endpoint(
  {
    method: 'post',
    path: '/webhooks/{id}/deliveries/{deliveryId}/redeliver',
    access: sessionOrg('admin', 'none'),
    audit: 'webhook.redelivered',
    tag: 'Webhooks',
    summary: 'Send a delivery again',
    description:
      'Sends it at once, and repeats it as a new one, with the same `webhook-id`. More than 3 days after the event it is sent once. The content is read again: it has the findings as they are now. A delivery that is due already stays as it is. A disabled webhook sends nothing (409 `conflict`).',
    request: { params: z.object({ id: idParam(), deliveryId: idParam() }) },
    responses: { 202: { description: 'The pending delivery.', result: Delivery } },
    errors: ['resource_error/conflict'],
    storage: 'changes',
  },
  async (call) => {
    const { now, org, params, user } = call;
    const { delivery } = await call.audited(
      (inside) =>
        inOrgQuota(inside, async (tx, tables) => {
          await requireStillAdmin(tx, org.id, user.id);
          const webhook = await requireWebhook(tx, org.id, params.id);
          const key = { destinationId: webhook.id, id: params.deliveryId };
          if (!(await readDelivery(tx, tables, key))) throw new ApiError('resource_error/not_found');
          requireEnabled(webhook);
          const isRepeated = await repeatDelivery(tx, tables, { ...key, now });
          if (isRepeated) await wakeDestinations(tx, [webhook.id], now.toISOString(), true);
          const delivery = await readDelivery(tx, tables, key);
          if (!delivery) throw new ApiError('resource_error/not_found');
          return { webhook, delivery, isRepeated };
        }),
      ({ webhook, isRepeated }) =>
        isRepeated
          ? {
              target: { type: 'webhook', id: webhook.id, name: originOf(webhook) },
              changes: newValues({ delivery: params.deliveryId }),
            }
          : undefined,
    );
    return accepted(toDelivery(delivery));
  },
);
