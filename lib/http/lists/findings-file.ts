import { csvHeader } from '../../../db/findings/lists/csv.ts';
import { type FindingView, findingViewFields } from '../../../db/findings/lists/text.ts';
import { sarifFormat } from '../../findings/sarif/format.ts';
import type { Org } from '../../orgs/directory.ts';
import type { PublicCall } from '../call.ts';
import { requireKnownParameters } from '../request/query.ts';
import type { RowsOptions } from './list.ts';

/** File formats for findings; the names are also the file extensions. */
export const FORMATS = ['json', 'csv', 'sarif'] as const;
export type FileFormat = (typeof FORMATS)[number];

/** Without it Excel takes UTF-8 for the system's own encoding. */
const BYTE_ORDER_MARK = '\ufeff';

type FileCall = PublicCall & { org: Org };
type FileOptions = Pick<RowsOptions, 'format' | 'headers'>;

/**
 * How a list of findings is answered as a file.
 * @throws ApiError `invalid_request` for unknown parameters: a file has no message
 */
export function fileOf(format: FileFormat, call: FileCall, view: FindingView): FileOptions {
  if (format === 'csv') return csvFile('findings', csvHeader(findingViewFields(call.org.tables, view)), call);
  const headers = headersOf('findings', format, call);
  return format === 'json' ? { headers } : { headers, format: sarifFormat() };
}

/**
 * How a list is answered as CSV.
 * @throws ApiError `invalid_request` for unknown parameters
 */
export function csvFile(what: string, header: string, call: FileCall): FileOptions {
  return {
    headers: headersOf(what, 'csv', call),
    format: {
      type: 'text/csv; charset=utf-8; header=present',
      head: BYTE_ORDER_MARK + header,
      separator: '',
      tail: () => '',
    },
  };
}

/** How a list is answered as JSON Lines. */
export const linesFile = (what: string, call: FileCall): FileOptions => ({
  headers: headersOf(what, 'jsonl', call),
  format: { type: 'application/x-ndjson; charset=utf-8', head: '', separator: '', tail: () => '' },
});

function headersOf(what: string, format: FileFormat | 'jsonl', { c, org, now }: FileCall) {
  requireKnownParameters(c);
  const name = `${what}-${org.slug}-${now.toISOString().slice(0, 10)}.${format}`;
  return { 'content-disposition': `attachment; filename="${name}"` };
}
