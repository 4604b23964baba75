import { FINDING_FIELDS } from '../../db/findings/fields.ts';
import { FINDING_STATUSES, SEVERITIES } from '../../db/schema/values.ts';
import { FORMATS } from '../../lib/findings/file.ts';
import { matching } from '../../lib/findings/input.ts';
import { answerFindings, CHANGES, omitParameter, SORTS } from '../../lib/findings/list.ts';
import { SarifLog } from '../../lib/findings/sarif/schema.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { anyOf, pageParameters } from '../../lib/http/lists/pages.ts';
import { text, uuid, z } from '../../lib/http/schema.ts';
import { ListedFinding } from '../../lib/resources.ts';

/** What two scans differ in is asked for with all of these. */
const COMPARISON = ['scan_id', 'against', 'change'] as const;

const scanIdQuery = () => text({ max: 36, example: '01890a5d-ac96-774b-bcce-b302099a8057' });

const FindingsCsv = z.string().openapi({
  description: 'A header line with the field names, then one line per finding.',
  example:
    'id,title,severity\r\n0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07,"SQL injection in search","critical"\r\n',
});

export const listFindings = endpoint(
  {
    method: 'get',
    path: '/findings',
    access: cookieOrg(),
    tag: 'Findings',
    summary: 'List findings',
    description:
      'Newest first, or by `sort` (`-` for descending). Without `page` and `per_page`, the response streams all findings. `scan_id` selects the findings that the scan reported; with `against` and `change`, those that differ between two scans.',
    request: {
      query: z
        .object({
          scan_id: scanIdQuery().optional(),
          against: scanIdQuery()
            .optional()
            .openapi({ description: 'The scan to compare `scan_id` with; requires `change`.' }),
          change: z.enum(CHANGES).optional().openapi({
            description:
              'Findings that only `scan_id` reported (`new`), that both scans reported (`seen_again`), or that only `against` reported (`gone`).',
          }),
          project_id: uuid().optional(),
          severity: anyOf(SEVERITIES).optional(),
          status: anyOf(FINDING_STATUSES).optional(),
          cwe: matching(FINDING_FIELDS.cwe.input).optional(),
          q: text({ max: 200 }).optional().openapi({ description: 'Text to find in title, file or CVE.' }),
          sort: z.enum(SORTS).optional(),
          omit: omitParameter(),
          format: z.enum(FORMATS).optional().openapi({
            description:
              'The format of the response: `json`, `csv` with a header line (RFC 4180), or `sarif` (SARIF 2.1.0). With `page`, the file holds that page.',
          }),
          ...pageParameters,
        })
        .superRefine((query, context) => {
          if (query.against === undefined && query.change === undefined) return;
          for (const name of COMPARISON.filter((name) => query[name] === undefined))
            context.addIssue({ code: 'custom', path: [name], message: 'is required' });
        }),
    },
    responses: {
      200: {
        description: 'The findings.',
        result: z.array(ListedFinding),
        paged: true,
        others: { 'text/csv': FindingsCsv, 'application/sarif+json': SarifLog },
      },
    },
  },
  (call) => answerFindings(call, call.query),
);
