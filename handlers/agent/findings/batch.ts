import { bearer } from '../../../lib/http/access.ts';
import { ok } from '../../../lib/http/answer.ts';
import {
  BatchQuery,
  BatchResult,
  FindingBatch,
  IdempotencyKey,
  MAX_BATCH_BYTES,
  pushBatch,
} from '../../../lib/http/bulk/push-batch.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const pushFindings = endpoint(
  {
    method: 'post',
    path: '/agent/findings/batch',
    access: bearer({ project: 'each finding' }),
    audit: { none: 'agent' },
    causesEvents: false,
    tag: 'Agent ingest',
    summary: 'Push up to 1,000 findings',
    description:
      'Each finding is pushed as by `POST /agent/findings`, and fails on its own. Findings with the same fingerprint count as separate pushes. At most 8 MiB. The response is sent after the commit. If nothing could be written, the response is the error.',
    request: { headers: IdempotencyKey, query: BatchQuery, body: FindingBatch },
    maxBytes: MAX_BATCH_BYTES,
    responses: { 200: { description: 'The outcome for each finding.', result: BatchResult } },
    errors: ['resource_error/conflict'],
  },
  async (call) => {
    const { body, headers, query } = call;
    const options = { key: headers['idempotency-key'], withStatus: query.include === 'finding_status' };
    return ok(await pushBatch(call, body.findings, options));
  },
);
