import { type Importer, ReportError, readList } from '../importer.ts';
import {
  GenericFinding,
  isKnownField,
  isOwnExport,
  unresolved,
  warnOfUnknown,
} from '../tools/generic-fields.ts';
import { genericResults } from '../tools/generic-results.ts';

/** A table with a row for each finding. */
export const genericCsv: Importer = {
  name: 'generic-csv',
  about: {
    tool: 'CSV of any tool (below)',
    command: 'write it with a script or a spreadsheet',
    versions: '–',
    identity: '`fingerprint`, `unique_id_from_tool`, or what the finding says',
    severity: '`severity`, or the CVSS score',
  },
  split: { csv: true },

  // Other tools write columns of the same names, so that all must be known. `--format` reads a table with further columns.
  detects: (report) =>
    report.kind === 'csv' &&
    ['title', 'severity'].every((name) => report.columns.some((column) => column.toLowerCase() === name)) &&
    (isOwnExport(report.columns) || report.columns.every((column) => column === '' || isKnownField(column))),

  results(report, context) {
    if (report.kind !== 'csv') throw new ReportError('The report is not CSV');
    if (!report.columns.some((column) => column.toLowerCase() === 'title'))
      throw new ReportError('The table has no column “title”');
    if (!isOwnExport(report.columns)) warnOfUnknown(report.columns, context);
    // An empty cell says nothing.
    const rows = unresolved(report.rows, context).map((row) =>
      Object.fromEntries(Object.entries(row).filter(([, cell]) => cell !== '')),
    );
    return genericResults(readList(GenericFinding, rows, '', context), context);
  },
};
