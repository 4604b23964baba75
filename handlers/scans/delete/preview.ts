import type { ScanDeletionPreview } from '../../../db/deletions/start.ts';
import { previewScanDeletion } from '../../../db/deletions/start.ts';
import { runSearch } from '../../../db/findings/lists/search.ts';
import { readScan } from '../../../db/scans/scans.ts';
import { ApiError } from '../../../lib/errors.ts';
import { scanId } from '../../../lib/findings/input.ts';
import { cookieOrg } from '../../../lib/http/access.ts';
import { ok } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { search } from '../../../lib/http/lists/search.ts';
import { count, z } from '../../../lib/schema.ts';

export const previewDeletionOfScan = endpoint(
  {
    method: 'get',
    path: '/scans/{id}/delete/preview',
    access: cookieOrg('admin', 'scan'),
    tag: 'Scans',
    summary: 'Count the findings that only a scan has reported',
    description: 'Counts the findings that `POST /scans/{id}/delete` with `with_findings` would delete now.',
    request: { params: z.object({ id: scanId() }) },
    responses: {
      200: {
        description: 'How many there are.',
        result: z
          .object({
            findings: count(120),
            triaged: count(2).openapi({ description: 'How many of them have another status than `open`.' }),
          })
          .openapi('ScanDeletionPreview'),
      },
    },
    errors: ['rate_limit_error/exceeded'],
  },
  async (call) => {
    const { db, org, params, sql } = call;
    if (!(await readScan(db, org.tables, params.id))) throw new ApiError('resource_error/not_found');
    const query = previewScanDeletion(org.tables).query({ scanId: params.id });
    const [found] = await search(call, (limits) => runSearch<ScanDeletionPreview>(sql, query, limits));
    return ok(found ?? { findings: 0, triaged: 0 });
  },
);
