import { bearer } from '../../../lib/http/access.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { answerReport } from '../../../lib/http/request/report.ts';
import { namesProject, projectReference } from '../../../lib/projects/projects.ts';
import { ImportedReport, REPORT_FILE, ReportPreview, reportQuery } from '../../../lib/reports/schema.ts';
import { z } from '../../../lib/schema.ts';

export const sendReport = endpoint(
  {
    method: 'post',
    path: '/agent/reports',
    access: bearer({ project: 'reference' }),
    audit: { none: 'agent' },
    tag: 'Agent ingest',
    summary: "Import a scanner's report",
    description:
      'Registers a scan, pushes the findings of the report and completes the scan. `error_message` of the scan says what the scanner could not check; if it reports errors and no findings, the scan has failed. A report that cannot be read is answered 400 with the position and the formats that were tried, and leaves no scan. If the server stops meanwhile, the scan fails. With `preview=true`, nothing is written, and the response says what the import would change.',
    request: { query: namesProject(z.object({ ...projectReference, ...reportQuery })) },
    file: REPORT_FILE,
    responses: {
      200: { description: 'What the import would change.', result: ReportPreview },
      201: { description: 'The ended scan, and what changed.', result: ImportedReport },
    },
    errors: ['resource_error/conflict'],
  },
  async (call) => {
    const { projectId, query, token } = call;
    const sender = { actorId: token.id, accountId: token.createdBy };
    const answer = await answerReport(call, sender, projectId, query);
    if (answer.status === 201) {
      const { changes } = answer.result;
      call.tokenTouched = changes.new + changes.again > 0;
    }
    return answer;
  },
);
