import { eq } from 'drizzle-orm';
import { readIssues } from '../../../db/issues/list.ts';
import { ApiError } from '../../../lib/errors.ts';
import { cookieOrg } from '../../../lib/http/access.ts';
import { ok } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { idParam } from '../../../lib/http/fields.ts';
import { hasProject, readTrackers } from '../../../lib/issues/claims.ts';
import { Issues, toIntegrationRef, toIssue } from '../../../lib/issues/fields.ts';
import { z } from '../../../lib/schema.ts';
import { rankOf } from '../../../lib/tokens/scopes.ts';

export const listIssues = endpoint(
  {
    method: 'get',
    path: '/findings/{id}/issues',
    access: cookieOrg('viewer', 'finding'),
    tag: 'Findings',
    summary: 'List the issues of a finding',
    description:
      'The oldest first, with the issue trackers that the caller can create issues at. Issues are kept when a finding is changed, and lost when it is deleted or its project is transferred; they stay at the tracker.',
    request: { params: z.object({ id: idParam() }) },
    responses: { 200: { description: 'The issues.', result: Issues } },
  },
  async ({ db, org, params, reach, role, sql }) => {
    const { findings: f } = org.tables;
    const [finding] = await db.select({ projectId: f.projectId }).from(f).where(eq(f.id, params.id));
    if (!finding) throw new ApiError('resource_error/not_found');
    const [rows, trackers] = await Promise.all([
      readIssues(sql, org.tables, params.id, reach),
      readTrackers(db, org.id),
    ]);
    const mayCreate = rankOf(role) >= rankOf('member');
    const usable = trackers.filter((one) => mayCreate && one.enabled && hasProject(one, finding.projectId));
    return ok({
      issues: rows.map((row) => toIssue(row, trackers)),
      integrations: usable.map(toIntegrationRef),
    });
  },
);
