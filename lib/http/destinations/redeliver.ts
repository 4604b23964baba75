import { repeatDelivery } from '../../../db/destinations/deliveries.ts';
import { readDelivery } from '../../../db/destinations/list.ts';
import { wakeDestinations } from '../../../db/events/destinations.ts';
import { Delivery, toDelivery } from '../../destinations/deliveries.ts';
import { requireDestination, requireEnabled, requireStillAdmin } from '../../destinations/destinations.ts';
import type { DestinationGroup } from '../../destinations/groups.ts';
import { ApiError } from '../../errors.ts';
import { inOrgQuota } from '../../quotas.ts';
import { z } from '../../schema.ts';
import { sessionOrg } from '../access.ts';
import { accepted } from '../answer.ts';
import { newValues } from '../audit.ts';
import { endpoint } from '../endpoint.ts';
import { idParam } from '../fields.ts';

/** The endpoint that sends a delivery again. @param repeated what is the same */
export const redeliverEndpoint = (group: DestinationGroup, repeated: string) =>
  endpoint(
    {
      method: 'post',
      path: `/${group.path}/{id}/deliveries/{deliveryId}/redeliver`,
      access: sessionOrg('admin', 'none'),
      audit: `${group.noun}.redelivered`,
      tag: group.tag,
      summary: 'Send a delivery again',
      description: `Sends it at once, and repeats it as a new one${repeated}. More than 3 days after the event it is sent once. The content is read again: it has the findings as they are now. A delivery that is due already stays as it is. A disabled ${group.noun} sends nothing (409 \`conflict\`).`,
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
            const row = await requireDestination(tx, org.id, group, params.id);
            const key = { destinationId: row.id, id: params.deliveryId };
            if (!(await readDelivery(tx, tables, key))) throw new ApiError('resource_error/not_found');
            requireEnabled(group, row);
            const isRepeated = await repeatDelivery(tx, tables, { ...key, now });
            if (isRepeated) await wakeDestinations(tx, [row.id], now.toISOString(), true);
            const delivery = await readDelivery(tx, tables, key);
            if (!delivery) throw new ApiError('resource_error/not_found');
            return { row, delivery, isRepeated };
          }),
        ({ row, isRepeated }) =>
          isRepeated
            ? {
                target: { type: group.noun, id: row.id, name: group.nameOf(row) },
                changes: newValues({ delivery: params.deliveryId }),
              }
            : undefined,
      );
      return accepted(toDelivery(delivery));
    },
  );
