import { FindingInput } from '../../../lib/findings/input.ts';
import { bearer } from '../../../lib/http/access/access.ts';
import { created, endpoint, ok } from '../../../lib/http/endpoint.ts';
import { ApiError } from '../../../lib/http/errors.ts';
import { requireProject, requireScope } from '../../../lib/projects/projects.ts';
import { PushedFinding } from '../../../lib/resources.ts';

export const pushFinding = endpoint(
  {
    method: 'post',
    path: '/agent/findings',
    access: bearer,
    tag: 'Agent ingest',
    summary: 'Push a finding',
    description:
      'Within a project a `fingerprint` is one finding: pushed again it is counted, and takes over what the agent says anew. Its status stays with the user. The answer comes after the commit.',
    request: { body: FindingInput },
    responses: {
      201: { description: 'A new finding.', result: PushedFinding },
      200: { description: 'A known finding, seen again.', result: PushedFinding },
    },
    errors: ['token_error/scope_mismatch', 'resource_error/not_found'],
  },
  async ({ body, db, org, services, token, tokenTouched }) => {
    requireScope(token, body.project_id);
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
