import { cookieOrg } from '../../../lib/http/access.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { idParam } from '../../../lib/http/fields.ts';
import { answerReport } from '../../../lib/http/request/report.ts';
import { requireProject } from '../../../lib/projects/projects.ts';
import { ImportedReport, REPORT_FILE, ReportPreview, reportQuery } from '../../../lib/reports/schema.ts';
import { z } from '../../../lib/schema.ts';

export const uploadReport = endpoint(
  {
    method: 'post',
    path: '/projects/{id}/reports',
    access: cookieOrg('member', 'project'),
    audit: { none: 'agent' },
    tag: 'Projects',
    summary: "Import a scanner's report",
    description: 'As `POST /agent/reports`, for members.',
    request: { params: z.object({ id: idParam() }), query: z.object(reportQuery) },
    file: REPORT_FILE,
    responses: {
      200: { description: 'What the import would change.', result: ReportPreview },
      201: { description: 'The ended scan, and what changed.', result: ImportedReport },
    },
    errors: ['resource_error/conflict'],
  },
  async (call) => {
    const { accountId, actor, db, org, params, query } = call;
    await requireProject(db, org, params.id);
    return await answerReport(call, { actorId: actor.id, accountId }, params.id, query);
  },
);
