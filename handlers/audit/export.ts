import { auditCsv, auditCsvFields, auditLines } from '../../db/audit/read.ts';
import { csvHeader } from '../../db/findings/lists/csv.ts';
import { auditFilter, auditShape } from '../../lib/audit/entries.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { csvFile, linesFile } from '../../lib/http/lists/findings-file.ts';
import { answerRows } from '../../lib/http/lists/list.ts';
import { z } from '../../lib/schema.ts';

const AuditCsv = z.string().openapi({
  description: 'A header line with the names of the columns, then one line per entry.',
  example:
    'id,at,action\r\n"0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07","2026-01-01T00:00:00.000Z","token.created"\r\n',
});

const AuditLines = z.string().openapi('AuditLines', {
  description: 'One entry as JSON per line, as `GET /audit` has it.',
  example: '{"id":"0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07","action":"token.created"}\n',
});

const DESCRIPTION =
  'All entries that match, with the filters and the order of `GET /audit`, as a stream. The export is an entry itself.';

export const exportAuditCsv = endpoint(
  {
    method: 'get',
    path: '/audit/export.csv',
    access: cookieOrg('admin', 'none'),
    audit: 'audit.exported',
    tag: 'Audit log',
    summary: 'Export the audit log as CSV',
    description: `${DESCRIPTION} RFC 4180, with a header line.`,
    request: { query: z.object(auditShape) },
    responses: { 200: { description: 'The entries.', body: { type: 'text/csv', schema: AuditCsv } } },
  },
  async (call) =>
    answerRows(call, auditCsv(call.org.tables, auditFilter(call.query)), {
      ...csvFile('audit', csvHeader(auditCsvFields), call),
      isSearch: true,
      fromReplica: true,
    }),
);

export const exportAuditJsonl = endpoint(
  {
    method: 'get',
    path: '/audit/export.jsonl',
    access: cookieOrg('admin', 'none'),
    audit: 'audit.exported',
    tag: 'Audit log',
    summary: 'Export the audit log as JSON Lines',
    description: DESCRIPTION,
    request: { query: z.object(auditShape) },
    responses: {
      200: { description: 'The entries.', body: { type: 'application/x-ndjson', schema: AuditLines } },
    },
  },
  async (call) =>
    answerRows(call, auditLines(call.org.tables, auditFilter(call.query)), {
      ...linesFile('audit', call),
      isSearch: true,
      fromReplica: true,
    }),
);
