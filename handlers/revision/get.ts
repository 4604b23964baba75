import { cookieOrg } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { shown, z } from '../../lib/schema.ts';

const Conditional = z.object({
  'if-none-match': z.string().optional().openapi({
    description: 'The `ETag` of an earlier response. If nothing has changed since, the response is 304.',
    example: '"0f343b0931126a20f133d67c2b018a3b"',
  }),
});

/** Whether a header `If-None-Match` names an ETag. Weak tags count as well (RFC 9110). */
const names = (header: string | undefined, tag: string): boolean =>
  header?.split(',').some((one) => [tag, '*'].includes(one.trim().replace(/^W\//, ''))) ?? false;

export const getRevision = endpoint(
  {
    method: 'get',
    path: '/revision',
    access: cookieOrg('viewer', 'list'),
    tag: 'Dashboard',
    summary: 'Notice changes',
    description:
      'Returns a text that changes when findings are created, regress, change or are triaged, when a comment is written, and when a scan begins or ends, in the projects that the caller reaches. It may be two seconds old. A push that only counts a finding again does not change it. Pages poll it with `If-None-Match`, which is cheap.',
    request: { headers: Conditional },
    responses: {
      200: {
        description: 'The current revision.',
        result: z.object({ revision: shown('0f343b0931126a20f133d67c2b018a3b', 'Opaque; compare it only.') }),
        tagged: true,
      },
      304: { description: 'Nothing has changed.', tagged: true },
    },
    quiet: true,
  },
  async ({ org, reach, services, headers }) => {
    const revision = await services.revisions(org, reach?.ids);
    const tag = `"${revision}"`;
    if (names(headers['if-none-match'], tag)) return { status: 304 as const, headers: { etag: tag } };
    return ok({ revision }, { headers: { etag: tag } });
  },
);
