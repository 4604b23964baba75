import { eq } from 'drizzle-orm';
import { setFindingStatus } from '../../../db/findings/findings.ts';
import { AGENT_STATUSES } from '../../../lib/findings/input.ts';
import { bearer } from '../../../lib/http/access/access.ts';
import { endpoint, ok } from '../../../lib/http/endpoint.ts';
import { ApiError } from '../../../lib/http/errors.ts';
import { idParam } from '../../../lib/http/fields.ts';
import { z } from '../../../lib/http/schema.ts';
import { requireMayVerify } from '../../../lib/orgs/security-settings.ts';
import { Finding } from '../../../lib/resources.ts';

export const updateAgentFinding = endpoint(
  {
    method: 'patch',
    path: '/agent/findings/{id}',
    access: bearer,
    tag: 'Agent ingest',
    summary: 'Verify or reopen a finding',
    description:
      '`verified` confirms a fix, `open` reopens; an agent sets no other status. With `viewer_tokens_verify` off, `verified` is refused to a token whose creator is a viewer or no longer a member.',
    request: { params: z.object({ id: idParam() }), body: z.object({ status: z.enum(AGENT_STATUSES) }) },
    responses: { 200: { description: 'The finding after the change.', result: Finding } },
    errors: ['token_error/scope_mismatch', 'permission_error/denied'],
  },
  async (call) => {
    const { body, db, now, org, params, sql, token } = call;
    const { tables } = org;
    const { id } = params;
    if (body.status === 'verified') await requireMayVerify(call);
    const { findings } = tables;
    const finding = await setFindingStatus(sql, tables, {
      id,
      status: body.status,
      now,
      projectId: token.projectId ?? undefined,
    });
    if (finding) return ok(finding);
    const [other] = await db.select({ id: findings.id }).from(findings).where(eq(findings.id, id));
    throw new ApiError(other ? 'token_error/scope_mismatch' : 'resource_error/not_found');
  },
);
