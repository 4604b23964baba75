import { readOrgFlags } from '../../db/orgs/flags.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { shown, z } from '../../lib/schema.ts';

const OrgFeature = z
  .object({
    name: shown('org_wide_tokens'),
    provisioned: z.boolean().openapi({ description: 'Set by platform administrators.', example: true }),
    enabled: z.boolean().openapi({ description: "Set by the organization's owner.", example: true }),
    description: shown('Allow org-wide API tokens.'),
  })
  .openapi('OrgFeature');

export const listOrgFeatures = endpoint(
  {
    method: 'get',
    path: '/org-features',
    access: cookieOrg('viewer', 'any member'),
    tag: 'Org feature flags',
    summary: 'List the feature flags of the organization',
    description: 'A flag is active when it is both provisioned and enabled.',
    responses: { 200: { description: 'The flags, by name.', result: z.array(OrgFeature) } },
  },
  async ({ db, org: { tables } }) => ok(await readOrgFlags(db, tables)),
);
