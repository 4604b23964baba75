import { readDeliveries } from '../../../db/destinations/list.ts';
import { DELIVERY_STATES } from '../../../db/schema/values.ts';
import { DELIVERY_DAYS, Delivery, toDelivery } from '../../destinations/deliveries.ts';
import { requireDestination } from '../../destinations/destinations.ts';
import { articled, type DestinationGroup } from '../../destinations/groups.ts';
import { anyOf, z } from '../../schema.ts';
import { cookieOrg } from '../access.ts';
import { ok } from '../answer.ts';
import { endpoint } from '../endpoint.ts';
import { idParam } from '../fields.ts';
import { pageParameters, requiredPage, resultInfo } from '../lists/pages.ts';
import { search } from '../lists/search.ts';

/** The endpoint that lists the deliveries of a destination. */
export const deliveriesEndpoint = (group: DestinationGroup) =>
  endpoint(
    {
      method: 'get',
      path: `/${group.path}/{id}/deliveries`,
      access: cookieOrg('admin', 'none'),
      tag: group.tag,
      summary: `List the deliveries of ${articled(group)}`,
      description: `The deliveries of the last ${DELIVERY_DAYS} days, newest first. Always a page. \`total\` counts at most 10,000 deliveries after the page.`,
      request: {
        params: z.object({ id: idParam() }),
        query: z.object({ state: anyOf(DELIVERY_STATES).optional(), ...pageParameters }),
      },
      responses: { 200: { description: 'The deliveries.', result: z.array(Delivery), paged: true } },
    },
    async (call) => {
      const { db, org, params, query } = call;
      const { id: destinationId } = await requireDestination(db, org.id, group, params.id);
      const page = requiredPage(query);
      const window = { limit: page.perPage, offset: page.offset };
      const { total, deliveries } = await search(call, (limits) =>
        readDeliveries(call.sql, org.tables, { destinationId, states: query.state }, window, limits),
      );
      return ok(deliveries.map(toDelivery), { result_info: resultInfo(page, total) });
    },
  );
