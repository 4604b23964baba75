import { addTest, pendingTest } from '../../../db/destinations/deliveries.ts';
import { readDelivery } from '../../../db/destinations/list.ts';
import { wakeDestinations } from '../../../db/events/destinations.ts';
import { Delivery, toDelivery } from '../../destinations/deliveries.ts';
import { requireDestination, requireEnabled, requireStillAdmin } from '../../destinations/destinations.ts';
import { articled, type DestinationGroup } from '../../destinations/groups.ts';
import { ApiError } from '../../errors.ts';
import { inOrgQuota } from '../../quotas.ts';
import { z } from '../../schema.ts';
import { sessionOrg } from '../access.ts';
import { accepted } from '../answer.ts';
import { endpoint } from '../endpoint.ts';
import { idParam } from '../fields.ts';

/** The endpoint that sends a test. @param sent describes it */
export const testEndpoint = (group: DestinationGroup, sent: string) =>
  endpoint(
    {
      method: 'post',
      path: `/${group.path}/{id}/test`,
      access: sessionOrg('admin', 'none'),
      audit: `${group.noun}.tested`,
      tag: group.tag,
      summary: `Test ${articled(group)}`,
      description: `${sent} \`GET /${group.path}/{id}/deliveries\` shows the outcome. While a test is pending, further calls return it. A disabled ${group.noun} cannot be tested (409 \`conflict\`).`,
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
            const row = await requireDestination(tx, org.id, group, params.id);
            requireEnabled(group, row);
            const pending = await pendingTest(tx, tables, row.id);
            const { id, at } = services.nextId();
            if (pending === undefined) await addTest(tx, tables, { destinationId: row.id, id, at });
            await wakeDestinations(tx, [row.id], now.toISOString(), true);
            const key = { destinationId: row.id, id: pending ?? id };
            const delivery = await readDelivery(tx, tables, key);
            if (!delivery) throw new ApiError('resource_error/not_found');
            return { row, delivery, isNew: pending === undefined };
          }),
        ({ row, isNew }) =>
          isNew ? { target: { type: group.noun, id: row.id, name: group.nameOf(row) } } : undefined,
      );
      return accepted(toDelivery(delivery));
    },
  );
