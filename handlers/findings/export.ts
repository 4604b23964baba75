import { checkFilter, filterShape } from '../../lib/findings/filter/parameters.ts';
import { SORTS } from '../../lib/findings/order.ts';
import { SarifLog } from '../../lib/findings/sarif/schema.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { answerFindings, FindingsCsv, LAYOUTS, omitParameter } from '../../lib/http/lists/findings.ts';
import { z } from '../../lib/schema.ts';

const shape = { ...filterShape, sort: z.enum(SORTS).optional(), omit: omitParameter() };

const layout = z.enum(LAYOUTS).optional().openapi({
  description:
    'The columns: `fields` (the default) has the fields of a finding; `spreadsheet` has names of the project, the assignee and the scan, a link, and times as spreadsheets read them, in UTC.',
});

export const exportFindingsCsv = endpoint(
  {
    method: 'get',
    path: '/findings/export.csv',
    access: cookieOrg('viewer', 'list'),
    audit: 'findings.exported',
    tag: 'Findings',
    summary: 'Export findings as CSV',
    description:
      'All findings that match, with the filters and orders of `GET /findings`, as a stream: RFC 4180, with a header line.',
    request: { query: z.object({ ...shape, layout }).superRefine(checkFilter) },
    responses: { 200: { description: 'The findings.', body: { type: 'text/csv', schema: FindingsCsv } } },
  },
  (call) => answerFindings(call, { ...call.query, format: 'csv' }),
);

export const exportFindingsSarif = endpoint(
  {
    method: 'get',
    path: '/findings/export.sarif',
    access: cookieOrg('viewer', 'list'),
    audit: 'findings.exported',
    tag: 'Findings',
    summary: 'Export findings as SARIF',
    description:
      'All findings that match, with the filters and orders of `GET /findings`, as a stream: SARIF 2.1.0.',
    request: { query: z.object(shape).superRefine(checkFilter) },
    responses: {
      200: { description: 'The findings.', body: { type: 'application/sarif+json', schema: SarifLog } },
    },
  },
  (call) => answerFindings(call, { ...call.query, format: 'sarif' }),
);
