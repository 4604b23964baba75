import { eq } from 'drizzle-orm';
import { scanFields, toResource } from '../../../db/resources.ts';
import { summarize } from '../../../db/scans.ts';
import { scanId } from '../../../lib/finding-input.ts';
import { bearer } from '../../../lib/http/access.ts';
import { endpoint, ok } from '../../../lib/http/endpoint.ts';
import { ApiError } from '../../../lib/http/errors.ts';
import { BODY_LIMIT } from '../../../lib/http/input.ts';
import { optional, text, z } from '../../../lib/http/schema.ts';
import { requireScope } from '../../../lib/projects.ts';
import { Scan } from '../../../lib/resources.ts';

/** What is longer is cut off: a scan must be able to end, however much its tool has to say. */
const MAX_ERROR_MESSAGE = 10_000;

export const endScan = endpoint(
  {
    method: 'patch',
    path: '/agent/scans/{id}',
    access: bearer,
    tag: 'Agent ingest',
    summary: 'Complete or fail a scan',
    description:
      'The server counts its findings by severity. Ending it again in the same way changes nothing; in the other way it is a conflict.',
    request: {
      params: z.object({ id: scanId() }),
      body: z.object({
        status: z.enum(['completed', 'failed']),
        error_message: optional(text({ max: BODY_LIMIT, example: 'The scanner ran out of memory.' })),
      }),
    },
    responses: { 200: { description: 'The scan with its summary.', result: Scan } },
    errors: ['token_error/scope_mismatch', 'resource_error/conflict'],
  },
  async ({ body, db, now, org: { tables }, params: { id }, token }) => {
    const { scans } = tables;
    const row = await db.transaction(async (tx) => {
      // Locked before it is counted: pushes under way are waited for, later ones renew the summary.
      const [scan] = await tx
        .select({ projectId: scans.projectId, status: scans.status })
        .from(scans)
        .where(eq(scans.scanId, id))
        .for('no key update');
      if (!scan) throw new ApiError('resource_error/not_found');
      requireScope(token, scan.projectId);
      if (scan.status === 'running') {
        const summary = await summarize(tx, tables, id);
        await tx
          .update(scans)
          .set({
            status: body.status,
            errorMessage: body.error_message?.slice(0, MAX_ERROR_MESSAGE).toWellFormed() ?? null,
            summary,
            completedAt: now,
          })
          .where(eq(scans.scanId, id));
      } else if (scan.status !== body.status) {
        throw new ApiError('resource_error/conflict', { message: `The scan has already ${scan.status}.` });
      }
      const [ended] = await tx.select(scanFields(tables)).from(scans).where(eq(scans.scanId, id));
      return ended;
    });
    if (!row) throw new ApiError('resource_error/not_found');
    return ok(toResource(row));
  },
);
