import { FINDING_STATUSES, SEVERITIES } from '../../../db/schema/values.ts';
import { answerFindings } from '../../../lib/findings/list.ts';
import { bearer } from '../../../lib/http/access/access.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { anyOf, pageParameters } from '../../../lib/http/pages.ts';
import { z } from '../../../lib/http/schema.ts';
import { namesProject, projectReference, resolveProject } from '../../../lib/projects/projects.ts';
import { Finding } from '../../../lib/resources.ts';

export const listAgentFindings = endpoint(
  {
    method: 'get',
    path: '/agent/findings',
    access: bearer,
    tag: 'Agent ingest',
    summary: "List a project's findings",
    description: 'What an agent verifies: usually those with `status=fixed`. Newest first.',
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
    errors: ['token_error/scope_mismatch', 'resource_error/not_found'],
  },
  async (call) => {
    const { db, org, query, token } = call;
    const project_id = await resolveProject(db, org, token, query);
    return answerFindings(call, { ...query, project_id });
  },
);
