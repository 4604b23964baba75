import { checkFilter, filterShape } from '../../lib/findings/filter/parameters.ts';
import { SORTS } from '../../lib/findings/order.ts';
import { SarifLog } from '../../lib/findings/sarif/schema.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { answerFindings, FindingsCsv, omitParameter } from '../../lib/http/lists/findings.ts';
import { z } from '../../lib/schema.ts';

const query = z
  .object({ ...filterShape, sort: z.enum(SORTS).optional(), omit: omitParameter() })
  .superRefine(checkFilter);

export const exportFindingsCsv = endpoint(
  {
    method: 'get',
    path: '/findings/export.csv',
    access: cookieOrg('viewer', 'list'),
    tag: 'Findings',
    summary: 'Export findings as CSV',
    description:
      'All findings that match, with the filters and orders of `GET /findings`, as a stream: RFC 4180, with a header line.',
    request: { query },
    responses: { 200: { description: 'The findings.', body: { type: 'text/csv', schema: FindingsCsv } } },
  },
  (call) => answerFindings(call, { ...call.query, format: 'csv' }),
);

export const exportFindingsSarif = endpoint(
  {
    method: 'get',
    path: '/findings/export.sarif',
    access: cookieOrg('viewer', 'list'),
    tag: 'Findings',
    summary: 'Export findings as SARIF',
    description:
      'All findings that match, with the filters and orders of `GET /findings`, as a stream: SARIF 2.1.0.',
    request: { query },
    responses: {
      200: { description: 'The findings.', body: { type: 'application/sarif+json', schema: SarifLog } },
    },
  },
  (call) => answerFindings(call, { ...call.query, format: 'sarif' }),
);
