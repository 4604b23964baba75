import { cookieOrg } from '../../../lib/http/access.ts';
import { ok } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { readSecuritySettings, SecuritySettings } from '../../../lib/orgs/security-settings.ts';

export const getSecuritySettings = endpoint(
  {
    method: 'get',
    path: '/settings/security',
    access: cookieOrg('viewer', 'any member'),
    tag: 'Organizations',
    summary: 'Get the security settings of the organization',
    description: 'Any member may read them.',
    responses: { 200: { description: 'The settings.', result: SecuritySettings } },
  },
  async ({ db, org, services }) => ok(await readSecuritySettings(db, services.config, org)),
);
