import { eq } from 'drizzle-orm';
import { orgs } from '../../../db/schema/orgs.ts';
import { ApiError } from '../../../lib/errors.ts';
import { sessionOrg } from '../../../lib/http/access.ts';
import { ok } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { logSecurityEvent } from '../../../lib/http/security-log.ts';
import { SecuritySettings, securityFields } from '../../../lib/orgs/security-settings.ts';

export const updateSecuritySettings = endpoint(
  {
    method: 'patch',
    path: '/settings/security',
    access: sessionOrg('admin'),
    tag: 'Organizations',
    summary: 'Change the security settings of the organization',
    description: 'Takes effect with the next request of an agent.',
    request: { body: SecuritySettings },
    insertsInOrg: false,
    responses: { 200: { description: 'The settings after the change.', result: SecuritySettings } },
  },
  async (call) => {
    const { body, db, org } = call;
    const [row] = await db
      .update(orgs)
      .set({ viewerTokensVerify: body.viewer_tokens_verify })
      .where(eq(orgs.id, org.id))
      .returning(securityFields);
    if (!row) throw new ApiError('tenant_error/not_found');
    const to = body.viewer_tokens_verify;
    logSecurityEvent(call, 'org_setting_changed', { setting: 'viewer_tokens_verify', to });
    return ok(row);
  },
);
