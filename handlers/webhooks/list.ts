import { readDestinations } from '../../lib/destinations/destinations.ts';
import { WEBHOOKS } from '../../lib/destinations/groups.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { z } from '../../lib/schema.ts';
import { toWebhook, Webhook } from '../../lib/webhooks/fields.ts';

export const listWebhooks = endpoint(
  {
    method: 'get',
    path: '/webhooks',
    access: cookieOrg('admin', 'none'),
    tag: 'Webhooks',
    summary: 'List webhooks',
    description: 'The oldest first, without their secrets.',
    responses: { 200: { description: 'The webhooks.', result: z.array(Webhook) } },
  },
  async ({ db, now, org }) =>
    ok((await readDestinations(db, org.id, WEBHOOKS)).map((row) => toWebhook(row, now))),
);
