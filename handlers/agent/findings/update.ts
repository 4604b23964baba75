import { changeFinding } from '../../../db/findings/triage/triage.ts';
import { AGENT_STATUSES } from '../../../lib/findings/input.ts';
import { bearer } from '../../../lib/http/access.ts';
import { ok } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { idParam } from '../../../lib/http/fields.ts';
import { requireMayVerify } from '../../../lib/orgs/security-settings.ts';
import { notFoundOrMoving } from '../../../lib/projects/transfer/guard.ts';
import { Finding } from '../../../lib/resources.ts';
import { z } from '../../../lib/schema.ts';

export const updateAgentFinding = endpoint(
  {
    method: 'patch',
    path: '/agent/findings/{id}',
    access: bearer({ project: 'finding' }),
    audit: { none: 'agent' },
    tag: 'Agent ingest',
    summary: 'Verify or reopen a finding',
    description:
      '`verified` confirms a fix, `open` reopens; agents cannot set another status. With `viewer_tokens_verify` off, tokens whose creator is a viewer or no longer a member cannot set `verified`.',
    request: { params: z.object({ id: idParam() }), body: z.object({ status: z.enum(AGENT_STATUSES) }) },
    responses: { 200: { description: 'The finding after the change.', result: Finding } },
    errors: ['permission_error/denied', 'resource_error/conflict'],
  },
  async (call) => {
    const { body, now, org, params, services, sql, token } = call;
    if (body.status === 'verified') await requireMayVerify(call.db, org, { token, findingId: params.id });
    const changer = {
      ...{ now, actorId: token.id, changeId: services.nextId().id, projectId: token.projectId },
      unlessMoving: true,
    };
    const change = { id: params.id, status: body.status };
    const outcome = await changeFinding(sql, org.tables, change, changer);
    if (outcome.kind !== 'changed') throw await notFoundOrMoving(call, [params.id]);
    return ok(outcome.finding);
  },
);
