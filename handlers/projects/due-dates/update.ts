import { NO_DUE_DAYS, readDueDays, writeDueDays } from '../../../db/policies/due-dates.ts';
import { ApiError } from '../../../lib/errors.ts';
import { cookieOrg } from '../../../lib/http/access.ts';
import { ok } from '../../../lib/http/answer.ts';
import { changesOf } from '../../../lib/http/audit.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { idParam } from '../../../lib/http/fields.ts';
import { logSecurityEvent } from '../../../lib/http/security-log.ts';
import { allDays, DueDates, ProjectDueDatesInput } from '../../../lib/policies/due-dates.ts';
import { requireStays } from '../../../lib/projects/transfer/guard.ts';
import { z } from '../../../lib/schema.ts';

export const updateProjectDueDates = endpoint(
  {
    method: 'put',
    path: '/projects/{id}/due-dates',
    access: cookieOrg('admin', 'project'),
    audit: 'project.due_dates_changed',
    tag: 'Policies',
    summary: 'Set after how many days findings of a project are due',
    description:
      "Replaces the days of all severities. `null`, or a severity that is left out, means the organization's days; `0` means no due date. At least one is required. Counts for findings that are found or regress from now on.",
    request: { params: z.object({ id: idParam() }), body: ProjectDueDatesInput },
    responses: { 200: { description: 'The days.', result: DueDates } },
    errors: ['resource_error/conflict'],
  },
  async (call) => {
    const { org, params } = call;
    await requireStays(call, { project: params.id });
    const days = allDays(call.body);
    const isWritten = await call.audited(
      async ({ sql }) => {
        const before = await readDueDays(sql, org.tables, params.id);
        return (await writeDueDays(sql, org.tables, days, params.id)) && { before: before ?? NO_DUE_DAYS };
      },
      (written) =>
        written
          ? { target: { type: 'project', id: params.id }, changes: changesOf(written.before, days) }
          : undefined,
    );
    if (!isWritten)
      throw new ApiError('resource_error/not_found', { message: 'The project does not exist.' });
    const setting = `due_dates of project ${params.id}`;
    logSecurityEvent(call, 'org_setting_changed', { setting, to: JSON.stringify(days) });
    return ok(days);
  },
);
