import { toResource } from '../../../db/resources.ts';
import { readScan } from '../../../db/scans/scans.ts';
import type { ScanTarget } from '../../../db/schema/values.ts';
import { ApiError } from '../../../lib/errors.ts';
import { scanId, scannedShape } from '../../../lib/findings/input.ts';
import { bearer } from '../../../lib/http/access.ts';
import { ok } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { BODY_LIMIT } from '../../../lib/http/request/input.ts';
import { requireStays } from '../../../lib/projects/transfer/guard.ts';
import { Scan } from '../../../lib/resources.ts';
import { endScan as end } from '../../../lib/scans/end.ts';
import { optional, text, z } from '../../../lib/schema.ts';

/** A longer message is cut, so that a scan can end however much its scanner reports. */
const MAX_ERROR_MESSAGE = 10_000;

export const endScan = endpoint(
  {
    method: 'patch',
    path: '/agent/scans/{id}',
    access: bearer({ project: 'scan' }),
    audit: { none: 'agent' },
    tag: 'Agent ingest',
    summary: 'Complete or fail a scan',
    description:
      'The server counts the findings of the scan by severity. `error_message` says why the scan failed, or which problems a completed scan had; the web UI marks such a scan as completed with warnings. Findings that a completed scan did not report, and the comparable scan before it did, are marked with `missing_since`. `target` and `sources` replace those of the registration, for agents that know them only now. Repeating the call with the same status changes nothing; with the other status it is a conflict.',
    request: {
      params: z.object({ id: scanId() }),
      body: z.object({
        status: z.enum(['completed', 'failed']),
        error_message: optional(
          text({ max: BODY_LIMIT, example: '2 of 31 files could not be parsed.' }).openapi({
            description: `With either status. Cut after ${MAX_ERROR_MESSAGE} characters.`,
          }),
        ),
        ...scannedShape,
      }),
    },
    responses: { 200: { description: 'The scan with its summary.', result: Scan } },
    errors: ['resource_error/conflict'],
  },
  async (call) => {
    const {
      body,
      db,
      log,
      now,
      org,
      params: { id },
      services,
      sql,
      token,
    } = call;
    await requireStays(call, { scan: id });
    const { tables } = org;
    const outcome = await end(
      { log, nextId: services.nextId, org, sql },
      {
        scanId: id,
        status: body.status,
        errorMessage: body.error_message?.slice(0, MAX_ERROR_MESSAGE).toWellFormed() ?? null,
        now,
        projectId: token.projectId,
        target: body.target as ScanTarget | undefined,
        sources: body.sources,
      },
    );
    if (outcome.kind === 'missing') throw new ApiError('resource_error/not_found');
    if (outcome.kind === 'ended') return ok(outcome.scan);
    if (outcome.status !== body.status)
      throw new ApiError('resource_error/conflict', { message: `The scan has already ${outcome.status}.` });
    const scan = await readScan(db, tables, id);
    if (!scan) throw new ApiError('resource_error/not_found');
    return ok(toResource(scan));
  },
);
