import { freshCookieOrg } from '../../../lib/http/access.ts';
import { ok } from '../../../lib/http/answer.ts';
import { changesOf } from '../../../lib/http/audit.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { logSecurityEvent } from '../../../lib/http/security-log.ts';
import { changeRetention } from '../../../lib/retention/change.ts';
import { allKinds, Retention, RetentionInput } from '../../../lib/retention/settings.ts';

export const updateRetention = endpoint(
  {
    method: 'put',
    path: '/settings/retention',
    access: freshCookieOrg('admin', 'none'),
    audit: 'settings.retention_changed',
    tag: 'Policies',
    summary: 'Set how long findings and scans are kept',
    description:
      'Replaces the days of all kinds; one that is `null` or left out is kept for ever. At least one is required. Expired data is removed in the background within minutes, and from then on daily. That cannot be undone, so this needs a step-up, and tokens cannot do it: `POST /settings/retention/preview` counts what would be removed. All owners get a mail if something is kept shorter than before.',
    request: { body: RetentionInput },
    responses: { 200: { description: 'The days.', result: Retention } },
  },
  async (call) => {
    const days = allKinds(call.body);
    await call.audited(
      (inside) => changeRetention(inside, call.freshActor(), days),
      (before) => ({
        target: { type: 'setting', id: 'retention' },
        changes: changesOf(before, days),
      }),
    );
    call.services.mail.kick();
    logSecurityEvent(call, 'org_setting_changed', { setting: 'retention', to: JSON.stringify(days) });
    return ok(days);
  },
);
