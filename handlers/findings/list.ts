import { GROUP_KEYS } from '../../db/findings/lists/groups.ts';
import { checkFilter, filterShape } from '../../lib/findings/filter/parameters.ts';
import { SORTS } from '../../lib/findings/order.ts';
import { SarifLog } from '../../lib/findings/sarif/schema.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { answerGroups, FindingGroup } from '../../lib/http/lists/finding-groups.ts';
import { answerFindings, FindingsCsv, omitParameter, TOTALS } from '../../lib/http/lists/findings.ts';
import { FORMATS } from '../../lib/http/lists/findings-file.ts';
import { pageParameters, requiredPage } from '../../lib/http/lists/pages.ts';
import { ListedFinding } from '../../lib/resources.ts';
import { z } from '../../lib/schema.ts';

export const listFindings = endpoint(
  {
    method: 'get',
    path: '/findings',
    access: cookieOrg('viewer', 'list'),
    audit: { file: 'findings.exported' },
    tag: 'Findings',
    summary: 'List findings',
    description:
      'Newest first, or by `sort` (`-` for descending). Without `page` and `per_page`, the response streams all findings. `scan_id` selects the findings that the scan reported; with `against` and `change`, those that differ between two scans.',
    request: {
      query: z
        .object({
          ...filterShape,
          sort: z.enum(SORTS).optional(),
          group_by: z.enum(GROUP_KEYS).optional().openapi({
            description:
              'Answers groups of the findings instead, always as a page: those with regressed findings first, then by the worst severity, the count and the newest. Findings with the same `rule_id` are of one `rule`; of those without one, findings with the same title. `sort` has no effect.',
          }),
          omit: omitParameter(),
          total: z.enum(TOTALS).optional().openapi({
            description:
              '`limited` counts no more than 10,000 findings of a search in an order by `created_at`, `severity` or `priority`, which makes searches with many matches fast. With more, `result_info` has `total_is_exact: false`. `exact` is the default.',
          }),
          format: z.enum(FORMATS).optional().openapi({
            description:
              'The format of the response: `json`, `csv` with a header line (RFC 4180), or `sarif` (SARIF 2.1.0). With `page`, the file holds that page.',
          }),
          ...pageParameters,
        })
        .superRefine((query, context) => {
          checkFilter(query, context);
          if (query.group_by && query.format && query.format !== 'json')
            context.addIssue({ code: 'custom', path: ['format'], message: 'must be json with group_by' });
        }),
    },
    responses: {
      200: {
        description: 'The findings; with `group_by`, groups of them.',
        // Not a union of lists, of which generators for Java make classes that do not compile.
        result: z.array(z.union([ListedFinding, FindingGroup]).openapi('FindingOrGroup')),
        paged: true,
        others: { 'text/csv': FindingsCsv, 'application/sarif+json': SarifLog },
      },
    },
  },
  (call) => {
    const { group_by, ...list } = call.query;
    if (!group_by) return answerFindings(call, list);
    const { sort: _sort, format: _format, total: _total, page: _page, per_page: _perPage, ...filter } = list;
    return answerGroups(call, group_by, filter, requiredPage(list));
  },
);
