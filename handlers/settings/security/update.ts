import { freshCookieOrg } from '../../../lib/http/access.ts';
import { ok } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { logSecurityEvent } from '../../../lib/http/security-log.ts';
import { changeSecuritySettings, SecuritySettings } from '../../../lib/orgs/security-settings.ts';

export const updateSecuritySettings = endpoint(
  {
    method: 'patch',
    path: '/settings/security',
    access: freshCookieOrg('admin'),
    tag: 'Organizations',
    summary: 'Change the security settings of the organization',
    description: 'Takes effect with the next request of an agent. All owners get a mail about a change.',
    request: { body: SecuritySettings },
    insertsInOrg: false,
    responses: { 200: { description: 'The settings after the change.', result: SecuritySettings } },
  },
  async (call) => {
    const { body, services } = call;
    const row = await changeSecuritySettings(call, call.freshActor(), body);
    services.mail.kick();
    const to = body.viewer_tokens_verify;
    logSecurityEvent(call, 'org_setting_changed', { setting: 'viewer_tokens_verify', to });
    return ok(row);
  },
);
