import { eq } from 'drizzle-orm';
import { orgs } from '../../../db/schema/orgs.ts';
import { ApiError } from '../../../lib/errors.ts';
import { cookieOrg } from '../../../lib/http/access.ts';
import { ok } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { SecuritySettings, securityFields } from '../../../lib/orgs/security-settings.ts';

export const getSecuritySettings = endpoint(
  {
    method: 'get',
    path: '/settings/security',
    access: cookieOrg(),
    tag: 'Organizations',
    summary: 'Get the security settings of the organization',
    description: 'Any member may read them.',
    responses: { 200: { description: 'The settings.', result: SecuritySettings } },
  },
  async ({ db, org }) => {
    const [row] = await db.select(securityFields).from(orgs).where(eq(orgs.id, org.id));
    if (!row) throw new ApiError('tenant_error/not_found');
    return ok(row);
  },
);
