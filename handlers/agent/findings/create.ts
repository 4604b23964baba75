import { FindingInput } from '../../../lib/findings/input.ts';
import { refusalError } from '../../../lib/findings/pushes/pushes.ts';
import { bearer } from '../../../lib/http/access.ts';
import { created, ok } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { PushedFinding } from '../../../lib/resources.ts';

export const pushFinding = endpoint(
  {
    method: 'post',
    path: '/agent/findings',
    access: bearer({ project: 'body' }),
    audit: { none: 'agent' },
    causesEvents: false,
    tag: 'Agent ingest',
    summary: 'Push a finding',
    description:
      'A `fingerprint` identifies a finding within its project. Pushing it again increases `seen_count` and updates the fields that the agent sends; the status stays as users set it. With `previous_fingerprints`, a finding that is known by one of them takes the new `fingerprint`. The response is sent after the commit.',
    request: { body: FindingInput },
    responses: {
      201: { description: 'A new finding.', result: PushedFinding },
      200: { description: 'A known finding.', result: PushedFinding },
    },
    errors: ['resource_error/conflict'],
  },
  async (call) => {
    const { body, org, services, token } = call;
    const outcome = await services.ingest(org, token.id, body);
    if (outcome.kind === 'failed') throw outcome.error;
    call.tokenTouched = true;
    if (outcome.kind !== 'written') throw await refusalError(call, outcome.kind, body.project_id);
    const { deduplicated } = outcome;
    const result = { ...outcome.finding(), deduplicated };
    return deduplicated ? ok(result) : created(result);
  },
);
