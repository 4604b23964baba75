import { ApiError } from '../../lib/errors.ts';
import { freshCookieOrg } from '../../lib/http/access.ts';
import { done } from '../../lib/http/answer.ts';
import { newValues } from '../../lib/http/audit.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { logSecurityEvent } from '../../lib/http/security-log.ts';
import { switchOrgFlag } from '../../lib/orgs/flags.ts';
import { isStorable, z } from '../../lib/schema.ts';

export const updateOrgFeature = endpoint(
  {
    method: 'patch',
    path: '/org-features/{flag}',
    access: freshCookieOrg('owner', 'none'),
    audit: 'settings.feature_changed',
    tag: 'Org feature flags',
    summary: 'Turn a feature flag of the organization on or off',
    description:
      'A platform administrator must have provisioned the flag. With `require_mfa` on, members without MFA lose access at once, including the owner who turned it on. All owners get a mail about a change.',
    request: {
      params: z.object({ flag: z.string().openapi({ example: 'require_mfa' }) }),
      body: z.object({ enabled: z.boolean().openapi({ example: true }) }),
    },
    responses: { 200: { description: 'Changed.', message: 'require_mfa is now on.' } },
    errors: ['permission_error/feature_not_provisioned'],
  },
  async (call) => {
    const { body, params, services } = call;
    const { enabled } = body;
    const { flag } = params;
    const switched =
      isStorable(flag) &&
      (await call.audited(
        (inside) => switchOrgFlag(inside, call.freshActor(), flag, enabled),
        (isSwitched) =>
          isSwitched ? { target: { type: 'setting', id: flag }, changes: newValues({ enabled }) } : undefined,
      ));
    if (!switched) throw new ApiError('permission_error/feature_not_provisioned');
    services.mail.kick();
    logSecurityEvent(call, 'org_setting_changed', { setting: flag, to: enabled });
    return done({ message: `${flag} is now ${enabled ? 'on' : 'off'}.` });
  },
);
