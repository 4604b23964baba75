import { readDestinations } from '../../lib/destinations/destinations.ts';
import { INTEGRATIONS } from '../../lib/destinations/groups.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { Integration, toIntegration } from '../../lib/integrations/fields.ts';
import { z } from '../../lib/schema.ts';

export const listIntegrations = endpoint(
  {
    method: 'get',
    path: '/integrations',
    access: cookieOrg('admin', 'none'),
    tag: 'Integrations',
    summary: 'List integrations',
    description: 'The oldest first, without their addresses.',
    responses: { 200: { description: 'The integrations.', result: z.array(Integration) } },
  },
  async ({ db, org }) => ok((await readDestinations(db, org.id, INTEGRATIONS)).map(toIntegration)),
);
