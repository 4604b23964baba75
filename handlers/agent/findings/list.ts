import { FINDING_STATUSES, SEVERITIES } from '../../../db/schema/values.ts';
import { bearer } from '../../../lib/http/access.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { answerFindings } from '../../../lib/http/lists/findings.ts';
import { pageParameters } from '../../../lib/http/lists/pages.ts';
import { namesProject, projectReference } from '../../../lib/projects/projects.ts';
import { Finding } from '../../../lib/resources.ts';
import { anyOf, z } from '../../../lib/schema.ts';

export const listAgentFindings = endpoint(
  {
    method: 'get',
    path: '/agent/findings',
    access: bearer({ project: 'reference' }),
    tag: 'Agent ingest',
    summary: "List a project's findings",
    description: 'For agents that verify fixes, usually with `status=fixed`. Newest first.',
    request: {
      query: namesProject(
        z.object({
          ...projectReference,
          status: anyOf(FINDING_STATUSES).optional(),
          severity: anyOf(SEVERITIES).optional(),
          ...pageParameters,
        }),
      ),
    },
    responses: { 200: { description: 'The findings.', result: z.array(Finding), paged: true } },
  },
  async (call) => {
    const { project_id: _, project: _slug, ...query } = call.query;
    return answerFindings(call, { ...query, project_id: [call.projectId] });
  },
);
