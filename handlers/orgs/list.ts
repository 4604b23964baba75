import { cookie } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { listOrgsOf } from '../../lib/orgs/list.ts';
import { Organization } from '../../lib/resources.ts';
import { z } from '../../lib/schema.ts';

export const listOrgs = endpoint(
  {
    method: 'get',
    path: '/orgs',
    access: cookie,
    tag: 'Organizations',
    summary: "List the user's organizations",
    description:
      'Owners also see deleted organizations that can be restored, with `deleted_at` and `purge_at`.',
    responses: { 200: { description: 'The organizations, newest first.', result: z.array(Organization) } },
  },
  async (call) => ok(await listOrgsOf(call, call.services, { deleted: true })),
);
