import { decodeText, isArchive, openArchive } from './archive.ts';
import { fitToLimits } from './clean.ts';
import type { Finding } from './finding.ts';
import { fingerprintsOf, withoutRepeated } from './fingerprints.ts';
import { importers } from './formats/index.ts';
import { ReportError, type Workspace } from './importer.ts';
import { parseReport } from './parse.ts';

/** The content of a report. */
export interface Imported {
  format: string;
  findings: Finding[];
  /** What the tool could not do. The findings may be incomplete, and no findings do not mean no problems. */
  errors: string[];
  /** Remarks of the tool. */
  warnings: string[];
  /** How many results were not imported, by reason. */
  skipped: Record<string, number>;
}

export interface ImportOptions {
  /** The name of an importer. Default: detected. */
  format?: string | undefined;
  /**
   * Adds the fingerprints of earlier releases that could identify two problems. Use it once, on the code that was scanned
   * last, to keep decisions.
   */
  migrate?: boolean | undefined;
}

/**
 * Imports a report. The findings have unique fingerprints and fit the limits of the service.
 * @param content JSON, JSON lines, XML or CSV; or the bytes of a file, which may also be an archive
 * @throws ReportError if the format is unknown or the report is invalid
 */
export function importReport(
  content: string | Uint8Array,
  workspace: Workspace,
  { format, migrate }: ImportOptions = {},
): Imported {
  const named = importers.find(({ name }) => name === format);
  const imported: Imported = { format: format ?? '', findings: [], errors: [], warnings: [], skipped: {} };
  const file = typeof content !== 'string' && isArchive(content) ? content : undefined;
  const text = typeof content === 'string' ? content : file ? '' : decodeText(content);
  if (named?.acceptsEmptyReport && !file && text.trim() === '') return imported;
  const report = file ? openArchive(file) : parseReport(text);
  const importer = format === undefined ? importers.find(({ detects }) => detects(report)) : named;
  if (report.kind === 'text' && !importer?.readsText)
    throw new ReportError('The report is neither JSON, XML nor CSV nor the text output of a known tool');
  if (!importer) {
    throw new ReportError(
      format === undefined
        ? 'The report format is not recognized. Set it with --format.'
        : `Unknown report format “${format}”`,
    );
  }
  const { name } = importer;
  if (file && !importer.detects(report)) throw new ReportError(`The archive has no report of ${name}`);
  const { errors, warnings, skipped } = imported;
  const skip = (reason: string, count = 1) => {
    if (count > 0) skipped[reason] = (skipped[reason] ?? 0) + count;
  };
  const results = importer.results(report, {
    ...workspace,
    error: (message) => errors.push(message),
    warn: (message) => warnings.push(message),
    skip,
  });
  const unique = withoutRepeated(results);
  skip('the report contains them twice', results.length - unique.length);
  const fingerprints = fingerprintsOf(unique, workspace, { vague: migrate });
  const findings = unique.map(
    ({ column, repeats, identify, identifyFormerly, identifyVaguely, ...finding }, index) =>
      fitToLimits({ source: name, ...finding, ...(fingerprints[index] as (typeof fingerprints)[number]) }),
  );
  return { ...imported, format: name, findings };
}
