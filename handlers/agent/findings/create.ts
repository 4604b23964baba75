import { FindingInput } from '../../../lib/findings/input.ts';
import { bearer } from '../../../lib/http/access.ts';
import { created, ok } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { ApiError } from '../../../lib/http/errors.ts';
import { requireProject } from '../../../lib/projects/projects.ts';
import { PushedFinding } from '../../../lib/resources.ts';

export const pushFinding = endpoint(
  {
    method: 'post',
    path: '/agent/findings',
    access: bearer({ project: 'body' }),
    tag: 'Agent ingest',
    summary: 'Push a finding',
    description:
      'A `fingerprint` identifies a finding within its project. Pushing it again increases `seen_count` and updates the fields that the agent sends; the status stays as users set it. With `previous_fingerprints`, a finding that is known by one of them takes the new `fingerprint`. The response is sent after the commit.',
    request: { body: FindingInput },
    responses: {
      201: { description: 'A new finding.', result: PushedFinding },
      200: { description: 'A known finding.', result: PushedFinding },
    },
  },
  async ({ body, db, org, services, token, tokenTouched }) => {
    const outcome = await services.ingest(org, token.id, body);
    tokenTouched();
    switch (outcome.kind) {
      case 'written': {
        const { deduplicated } = outcome;
        const result = { ...outcome.finding, deduplicated };
        return deduplicated ? ok(result) : created(result);
      }
      case 'no_scan':
        throw new ApiError('resource_error/not_found', { message: 'The scan is not registered.' });
      case 'other_project':
        await requireProject(db, org, body.project_id);
        throw new ApiError('validation_error/field_invalid', {
          details: [{ field: 'scan_id', message: 'is a scan of another project' }],
        });
    }
  },
);
