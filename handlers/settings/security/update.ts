import { freshCookieOrg } from '../../../lib/http/access.ts';
import { ok } from '../../../lib/http/answer.ts';
import { changesOf } from '../../../lib/http/audit.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { logSecurityEvent } from '../../../lib/http/security-log.ts';
import { changeSecuritySettings, SecuritySettings } from '../../../lib/orgs/security-settings.ts';

const Changes = SecuritySettings.partial()
  .superRefine((given, context) => {
    if (Object.values(given).every((value) => value === undefined))
      context.addIssue({
        code: 'custom',
        path: ['viewer_tokens_verify'],
        message: 'is required, or another setting',
      });
  })
  .openapi('SecuritySettingsChanges', { example: { tokens_on_role_loss: 'revoke' } });

export const updateSecuritySettings = endpoint(
  {
    method: 'patch',
    path: '/settings/security',
    access: freshCookieOrg('admin', 'none'),
    audit: 'settings.security_changed',
    tag: 'Organizations',
    summary: 'Change the security settings of the organization',
    description:
      'Settings that are left out stay. Only owners change other settings than `viewer_tokens_verify`. Takes effect with the next request. All owners get a mail about a change.',
    request: { body: Changes },
    responses: { 200: { description: 'The settings after the change.', result: SecuritySettings } },
  },
  async (call) => {
    const { body, peer, services, user } = call;
    const actor = { ...call.freshActor(), user, ip: peer.ip };
    const { settings, changed } = await call.audited(
      (inside) => changeSecuritySettings(inside, services.config, actor, body),
      ({ before, settings: after }) => ({
        target: { type: 'setting', id: 'security' },
        changes: changesOf(before, after),
      }),
    );
    services.mail.kick();
    for (const setting of changed)
      logSecurityEvent(call, 'org_setting_changed', { setting, to: settings[setting] });
    return ok(settings);
  },
);
