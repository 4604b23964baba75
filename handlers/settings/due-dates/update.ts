import { NO_DUE_DAYS, readDueDays, writeDueDays } from '../../../db/policies/due-dates.ts';
import { cookieOrg } from '../../../lib/http/access.ts';
import { ok } from '../../../lib/http/answer.ts';
import { changesOf } from '../../../lib/http/audit.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { logSecurityEvent } from '../../../lib/http/security-log.ts';
import { allDays, DueDates, DueDatesInput } from '../../../lib/policies/due-dates.ts';

export const updateDueDates = endpoint(
  {
    method: 'put',
    path: '/settings/due-dates',
    access: cookieOrg('admin', 'none'),
    audit: 'settings.due_dates_changed',
    tag: 'Policies',
    summary: 'Set after how many days findings are due',
    description:
      'Replaces the days of all severities; one that is `null` or left out has no due date. At least one is required. Counts for findings that are found or regress from now on, in all processes. Findings of before keep their due dates.',
    request: { body: DueDatesInput },
    responses: { 200: { description: 'The days.', result: DueDates } },
  },
  async (call) => {
    const { org } = call;
    const days = allDays(call.body);
    await call.audited(
      async ({ sql }) => {
        const before = await readDueDays(sql, org.tables);
        await writeDueDays(sql, org.tables, days);
        return before ?? NO_DUE_DAYS;
      },
      (before) => ({ target: { type: 'setting', id: 'due_dates' }, changes: changesOf(before, days) }),
    );
    logSecurityEvent(call, 'org_setting_changed', { setting: 'due_dates', to: JSON.stringify(days) });
    return ok(days);
  },
);
