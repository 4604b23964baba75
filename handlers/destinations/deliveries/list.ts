import { readDeliveries } from '../../../db/destinations/list.ts';
import { DELIVERY_STATES } from '../../../db/schema/values.ts';
import { DELIVERY_DAYS, Delivery, toDelivery } from '../../../lib/destinations/deliveries.ts';
import { requireDestination } from '../../../lib/destinations/destinations.ts';
import { articled, type DestinationGroup, INTEGRATIONS, WEBHOOKS } from '../../../lib/destinations/groups.ts';
import { cookieOrg } from '../../../lib/http/access.ts';
import { ok } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { idParam } from '../../../lib/http/fields.ts';
import { pageParameters, requiredPage, resultInfo } from '../../../lib/http/lists/pages.ts';
import { search } from '../../../lib/http/lists/search.ts';
import { anyOf, z } from '../../../lib/schema.ts';

const listing = (group: DestinationGroup) =>
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

export const listWebhookDeliveries = listing(WEBHOOKS);
export const listIntegrationDeliveries = listing(INTEGRATIONS);
