import { changeFinding } from '../../db/findings/triage/triage.ts';
import { ApiError } from '../../lib/errors.ts';
import { commonFields } from '../../lib/findings/triage/changes.ts';
import { FindingChanges, noteRisks, requireChanges } from '../../lib/findings/triage/triage.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { idParam } from '../../lib/http/fields.ts';
import { notFoundOrMoving } from '../../lib/projects/transfer/guard.ts';
import { Finding } from '../../lib/resources.ts';
import { z } from '../../lib/schema.ts';

export const updateFinding = endpoint(
  {
    method: 'patch',
    path: '/findings/{id}',
    access: cookieOrg('member', 'finding'),
    audit: { none: 'history' },
    tag: 'Findings',
    summary: 'Triage a finding',
    description:
      'Any status may be set except `verified`, which only agents set. `status` may be left out if another field is given. With `if_status`, a finding with another status is not changed (409).',
    request: {
      params: z.object({ id: idParam() }),
      body: FindingChanges,
    },
    responses: { 200: { description: 'The finding after the change.', result: Finding } },
    errors: ['resource_error/conflict'],
  },
  async (call) => {
    const { actor, body, now, org, params, services, sql } = call;
    await requireChanges(call, services.config, [{ change: body, path: '', of: { finding: params.id } }]);
    const change = { ...body, id: params.id };
    await noteRisks(call, [change]);
    const changer = {
      ...{ now, actorId: actor.id, changeId: services.nextId().id },
      what: commonFields([body]),
      unlessMoving: true,
    };
    const outcome = await changeFinding(sql, org.tables, change, changer);
    if (outcome.kind === 'missing') throw await notFoundOrMoving(call, [params.id]);
    if (outcome.kind === 'conflict')
      throw new ApiError('resource_error/conflict', { message: 'The finding has another status.' });
    return ok(outcome.finding);
  },
);
