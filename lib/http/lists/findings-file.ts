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

/**
 * How a list of findings is answered as a file.
 * @throws ApiError `invalid_request` for unknown parameters: a file has no message
 */
export function fileOf(
  format: FileFormat,
  { c, org, now }: PublicCall & { org: Org },
  view: FindingView,
): Pick<RowsOptions, 'format' | 'headers'> {
  requireKnownParameters(c);
  const name = `findings-${org.slug}-${now.toISOString().slice(0, 10)}.${format}`;
  const headers = { 'content-disposition': `attachment; filename="${name}"` };
  switch (format) {
    case 'json':
      return { headers };
    case 'csv':
      return {
        headers,
        format: {
          type: 'text/csv; charset=utf-8; header=present',
          head: BYTE_ORDER_MARK + csvHeader(findingViewFields(org.tables, view)),
          separator: '',
          tail: () => '',
        },
      };
    case 'sarif':
      return { headers, format: sarifFormat() };
  }
}
