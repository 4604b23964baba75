import { DELIVERY_STATES } from '../../../db/schema/values.ts';
import { readDeliveries } from '../../../db/webhooks/list.ts';
import { cookieOrg } from '../../../lib/http/access.ts';
import { ok } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { idParam } from '../../../lib/http/fields.ts';
import { pageParameters, requiredPage, resultInfo } from '../../../lib/http/lists/pages.ts';
import { search } from '../../../lib/http/lists/search.ts';
import { anyOf, z } from '../../../lib/schema.ts';
import { DELIVERY_DAYS, Delivery, toDelivery } from '../../../lib/webhooks/deliveries.ts';
import { requireWebhook } from '../../../lib/webhooks/webhooks.ts';

export const listWebhookDeliveries = endpoint(
  {
    method: 'get',
    path: '/webhooks/{id}/deliveries',
    access: cookieOrg('admin', 'none'),
    tag: 'Webhooks',
    summary: 'List the deliveries of a webhook',
    description: `The deliveries of the last ${DELIVERY_DAYS} days, newest first. Always a page. \`total\` counts at most 10,000 deliveries after the page.`,
    request: {
      params: z.object({ id: idParam() }),
      query: z.object({ state: anyOf(DELIVERY_STATES).optional(), ...pageParameters }),
    },
    responses: { 200: { description: 'The deliveries.', result: z.array(Delivery), paged: true } },
  },
  async (call) => {
    const { db, org, params, query } = call;
    const { id: destinationId } = await requireWebhook(db, org.id, params.id);
    const page = requiredPage(query);
    const window = { limit: page.perPage, offset: page.offset };
    const { total, deliveries } = await search(call, (limits) =>
      readDeliveries(call.sql, org.tables, { destinationId, states: query.state }, window, limits),
    );
    return ok(deliveries.map(toDelivery), { result_info: resultInfo(page, total) });
  },
);
