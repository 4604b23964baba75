import { hasOrgSlug } from '../../db/orgs/slugs.ts';
import { ApiError } from '../../lib/errors.ts';
import { cookie } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { listOrgsOf } from '../../lib/orgs/list.ts';
import { Organization } from '../../lib/resources.ts';
import { text, z } from '../../lib/schema.ts';

export const getOrg = endpoint(
  {
    method: 'get',
    path: '/orgs/{slug}',
    access: cookie,
    tag: 'Organizations',
    summary: 'Get an organization',
    description:
      'Answers 404 to everybody but its members, and to everybody but its owners while it is deleted. Takes a former slug, too.',
    request: { params: z.object({ slug: text({ max: 50, example: 'acme' }) }) },
    responses: { 200: { description: 'The organization.', result: Organization } },
  },
  async (call) => {
    const [org] = await listOrgsOf(call, call.services, {
      where: hasOrgSlug(call.params.slug),
      deleted: true,
    });
    if (!org) throw new ApiError('resource_error/not_found');
    return ok(org);
  },
);
