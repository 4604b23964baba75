import { insertScan } from '../../../db/scans/scans.ts';
import { PERSONAS, type ScanTarget } from '../../../db/schema/values.ts';
import { ApiError } from '../../../lib/errors.ts';
import { scanCommit, scanId, scannedShape } from '../../../lib/findings/input.ts';
import { bearer } from '../../../lib/http/access.ts';
import { created } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { namesProject, projectReference } from '../../../lib/projects/projects.ts';
import { requireStays } from '../../../lib/projects/transfer/guard.ts';
import { Scan } from '../../../lib/resources.ts';
import { optional, text, z } from '../../../lib/schema.ts';

export const registerScan = endpoint(
  {
    method: 'post',
    path: '/agent/scans',
    access: bearer({ project: 'reference' }),
    audit: { none: 'agent' },
    tag: 'Agent ingest',
    summary: 'Register a scan',
    description:
      'Must precede the findings of the scan. Agents choose `scan_id`, a UUID v7. `project` may name the project by its slug instead of `project_id`.',
    request: {
      body: namesProject(
        z.object({
          scan_id: scanId(),
          ...projectReference,
          persona: z.enum(PERSONAS),
          name: optional(text({ min: 1, max: 200, trim: true, example: 'Nightly audit' })),
          ...scannedShape,
          commit: optional(scanCommit()),
        }),
      ),
    },
    responses: { 201: { description: 'The running scan.', result: Scan } },
    errors: ['resource_error/already_exists', 'resource_error/conflict'],
  },
  async (call) => {
    const { body, now, org, projectId, sql } = call;
    await requireStays(call, { project: projectId });
    const scan = await insertScan(sql, org.tables, {
      scanId: body.scan_id,
      projectId,
      persona: body.persona,
      name: body.name ?? `${body.persona} scan ${now.toISOString()}`,
      target: body.target as ScanTarget | undefined,
      commit: body.commit,
      sources: body.sources,
      now,
    });
    if (!scan)
      throw new ApiError('resource_error/already_exists', { message: 'The scan is already registered.' });
    return created(scan);
  },
);
