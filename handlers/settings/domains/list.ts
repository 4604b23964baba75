import { sessionOrg } from '../../../lib/http/access.ts';
import { ok } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { z } from '../../../lib/schema.ts';
import { Domain, listDomains, toDomain } from '../../../lib/sso/domains.ts';

export const listOrgDomains = endpoint(
  {
    method: 'get',
    path: '/settings/domains',
    access: sessionOrg('owner', 'none'),
    tag: 'Single sign-on',
    summary: 'List the domains of the organization',
    responses: { 200: { description: 'The domains, by name.', result: z.array(Domain) } },
  },
  async ({ db, org }) => ok((await listDomains(db, org.id)).map(toDomain)),
);
