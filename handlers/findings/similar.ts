import { MAX_SIMILAR, readSimilar, SIMILARITIES } from '../../db/findings/lists/similar.ts';
import { ApiError } from '../../lib/errors.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { idParam } from '../../lib/http/fields.ts';
import { ListedFinding } from '../../lib/resources.ts';
import { z } from '../../lib/schema.ts';

const SimilarFinding = ListedFinding.extend({
  why: z.enum(SIMILARITIES).openapi({
    description:
      'The property that both findings share. `rule`: the source and the rule (`rule_id`, otherwise the title).',
  }),
})
  .omit({ description: true })
  .openapi('SimilarFinding');

export const similarFindings = endpoint(
  {
    method: 'get',
    path: '/findings/{id}/similar',
    access: cookieOrg('viewer', 'finding'),
    tag: 'Findings',
    summary: 'List similar findings',
    description: `At most ${MAX_SIMILAR} findings of all projects with the same CVE, then the same source and title, then the same file. They have no \`description\`.`,
    request: { params: z.object({ id: idParam() }) },
    responses: {
      200: { description: 'The findings, the most relevant first.', result: z.array(SimilarFinding) },
    },
  },
  async ({ org, params, reach, sql }) => {
    const found = await readSimilar(sql, org.tables, params.id, reach?.ids);
    if (!found) throw new ApiError('resource_error/not_found');
    return ok(found);
  },
);
