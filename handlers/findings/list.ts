import { FINDING_STATUSES, SEVERITIES } from '../../db/org.ts';
import { answerFindings, SORTS } from '../../lib/finding-list.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { anyOf, pageParameters } from '../../lib/http/list.ts';
import { text, uuid, z } from '../../lib/http/schema.ts';
import { Finding } from '../../lib/resources.ts';

export const listFindings = endpoint(
  {
    method: 'get',
    path: '/findings',
    access: cookieOrg(),
    tag: 'Findings',
    summary: 'List findings',
    description:
      'Newest first, or by `sort` (`-` for descending). Without `page` and `per_page` all of them come, streamed. `scan_id` selects what that scan reported, first or again.',
    request: {
      query: z.object({
        scan_id: text({ max: 36, example: '01890a5d-ac96-774b-bcce-b302099a8057' }).optional(),
        project_id: uuid().optional(),
        severity: anyOf(SEVERITIES).optional(),
        status: anyOf(FINDING_STATUSES).optional(),
        cwe: z
          .string()
          .regex(/^CWE-[0-9]{1,9}$/, 'must have the form CWE-NNN')
          .optional(),
        q: text({ max: 200 }).optional().openapi({ description: 'Words in title, file or CVE.' }),
        sort: z.enum(SORTS).optional(),
        ...pageParameters,
      }),
    },
    responses: { 200: { description: 'The findings.', result: z.array(Finding), paged: true } },
  },
  (call) => answerFindings(call, call.query),
);
