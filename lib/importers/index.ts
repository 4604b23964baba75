import type { Finding } from './finding.ts';
import { importers } from './formats/index.ts';
import { withoutRepeated } from './identity/copies.ts';
import { createIdentifier, type Fingerprints, fingerprintsOf } from './identity/fingerprints.ts';
import {
  type ImportContext,
  type Importer,
  type Report,
  ReportError,
  type Result,
  TooManyError,
  toReportError,
  UnknownFormatError,
  type Workspace,
} from './importer.ts';
import { isArchive, openArchive } from './read/archive.ts';
import { decodeText } from './read/encoding.ts';
import { recognizedLayout, unreadDocuments } from './read/layouts.ts';
import { parseReport } from './read/parse.ts';
import { isObject } from './read/values.ts';
import { findingOf, UnknownSeverities } from './result.ts';
import { type Scanned, scannedBy } from './scanned.ts';
import { maskObvious } from './text/credentials.ts';

/** The content of a report. */
export interface Imported extends Scanned {
  /** The name of the importer. Empty if the report is an empty list, which many tools write and which names none. */
  format: string;
  findings: Finding[];
  /** Failures of the tool. The findings may be incomplete, and no findings do not mean no problems. */
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
  /** The most bytes of an unpacked file of an archive. Default: 256 MiB. */
  maxBytes?: number | undefined;
  /** The most findings of a report. Default: unlimited. */
  maxFindings?: number | undefined;
}

/**
 * Imports a report. The findings have unique fingerprints and fit the limits of the service.
 * @param content JSON, JSON lines, XML or CSV; or the bytes of a file, which may also be an archive
 * @throws ReportError if the format is unknown or the report is invalid
 */
export function importReport(
  content: string | Uint8Array,
  workspace: Workspace,
  { format, migrate, maxBytes, maxFindings = Infinity }: ImportOptions = {},
): Imported {
  const named = format === undefined ? undefined : importers.find(({ name }) => name === format);
  const imported: Imported = {
    ...{ format: format ?? '', sources: named ? [named.name] : [], findings: [] },
    ...{ errors: [], warnings: [], skipped: {} },
  };
  const file = typeof content !== 'string' && isArchive(content) ? content : undefined;
  const warnOnce = (message: string) => {
    if (!imported.warnings.includes(message)) imported.warnings.push(message);
  };
  const text = typeof content === 'string' ? content : file ? '' : decodeText(content, warnOnce);
  if (named?.acceptsEmptyReport && !file && text.trim() === '') return imported;
  const maxMembers = MEMBERS_PER_FINDING * maxFindings;
  const parsed = file ? openArchive(file, maxBytes, warnOnce) : parseReport(text, maxMembers);
  if (
    parsed.kind === 'json' &&
    parsed.documents.every((document) => document === null) &&
    !named?.acceptsNull
  )
    throw new ReportError(
      `The report is null${named ? `, which ${named.name} does not write` : ''}: the program that wrote it has failed`,
    );
  if (format === undefined && isEmptyList(parsed)) return imported;
  const report = recognizedLayout(parsed, importers, named);
  const detected = format === undefined ? importers.find(({ detects }) => detects(report)) : named;
  if (report.kind === 'text' && !detected?.readsText)
    throw new ReportError(
      'The report is neither JSON, XML nor CSV nor the text output of a known tool. Use the JSON or SARIF output of the tool.',
    );
  const importer = detected ?? importerOf(report, format);
  const { name } = importer;
  if (file && !importer.detects(report)) throw new ReportError(`The archive has no report of ${name}`);
  if (lengthOf(report) > maxMembers) throw tooMany(maxMembers, 'results');
  const { errors, warnings, skipped } = imported;
  const skip = (reason: string, count = 1) => {
    if (count > 0) skipped[reason] = (skipped[reason] ?? 0) + count;
  };
  const importContext: ImportContext = {
    ...workspace,
    error: (message) => errors.push(maskObvious(message)),
    warn: (message) => warnings.push(maskObvious(message)),
    skip,
    maxMembers,
  };
  let results: Result[];
  try {
    results = readResults(importer, report, importContext);
  } catch (error) {
    // Says more than the first field that is missing.
    if (named && !importer.detects(report)) {
      refuseForeign(report, name);
      if (error instanceof ReportError) error.message += `. Use the report of ${importer.about.command}`;
    }
    throw error;
  }
  const isSilent = results.length + errors.length + Object.keys(skipped).length === 0;
  if (isSilent && !importer.detects(report) && !isEmpty(report)) {
    refuseForeign(report, name);
    if (report.kind === 'csv' ? report.rows.length > 0 : report.kind !== 'json')
      throw new ReportError(`This is no report of ${name}: it is ${report.kind}`);
  }
  if (results.length > maxMembers) throw tooMany(maxMembers, 'results');
  const identify = createIdentifier(workspace, migrate);
  const { unique, copies } = withoutRepeated(
    results.map((result) => ({ result, identified: identify(result) })),
  );
  if (unique.length > maxFindings) throw tooMany(maxFindings, 'findings');
  skip(REPEATED, results.length - unique.length);
  const unknown = new UnknownSeverities();
  for (const { result } of unique) unknown.add(result.severity);
  warnings.push(...unknown.warnings());
  const fingerprints = fingerprintsOf(
    unique.map(({ identified }, index) => copies.identified(identified, index)),
  );
  const findings = unique.map(({ result }, index) =>
    findingOf(copies.described(result, index), fingerprints[index] as Fingerprints, name),
  );
  const found = findings.flatMap(({ source }) => source ?? []);
  return { ...imported, ...scannedBy(importer, report, workspace, found), format: name, findings };
}

export const REPEATED = 'the report contains them twice';

/** @param format the name of an importer. Default: detected @throws ReportError if there is none */
export function importerOf(report: Report, format: string | undefined): Importer {
  const importer = importers.find((one) =>
    format === undefined ? one.detects(report) : one.name === format,
  );
  if (importer) return importer;
  throw format === undefined
    ? new UnknownFormatError('The report format is not recognized')
    : new ReportError(`Unknown report format “${format}”`);
}

/** Reports also list what is no finding, such as passed checks. */
export const MEMBERS_PER_FINDING = 1.5;

const lengthOf = (report: Report): number =>
  report.kind === 'csv' ? report.rows.length : report.kind === 'json' ? report.documents.length : 0;

export const tooMany = (max: number, what: string): TooManyError =>
  new TooManyError(`The report has more than ${max} ${what}. Split it`);

function readResults(importer: Importer, report: Report, context: ImportContext): Result[] {
  try {
    const results = importer.results(report, context);
    const others = unreadDocuments(report, importer, results.length);
    return others.length > 0
      ? [results, ...others.map((other) => importer.results(other, context))].flat()
      : results;
  } catch (error) {
    const refusal = toReportError(error);
    if (refusal instanceof ReportError) refusal.format = importer.name;
    throw refusal;
  }
}

/** @throws ReportError if a report is of another tool than the one that was named */
export function refuseForeign(report: Report, name: string): void {
  const other = importers.find(({ detects }) => detects(report));
  if (other) throw new ReportError(`This is no report of ${name} but of ${other.name}`);
  const [document] = report.kind === 'json' ? report.documents : [];
  if (isObject(document) && Object.keys(document).length === 0)
    throw new ReportError(`This is no report of ${name}: it is an empty object`);
}

/** One page, or several. */
const isEmptyList = (report: Report): boolean =>
  report.kind === 'json' &&
  report.documents.every((document) => Array.isArray(document) && document.length === 0);

/** Whether a report is what tools write when they find nothing: `null`, `[]`, `{"findings": []}`. */
export function isEmpty(report: Report): boolean {
  if (report.kind !== 'json') return false;
  const [document, ...others] = report.documents;
  if (others.length > 0) return false;
  if (document === null) return true;
  if (typeof document !== 'object') return false;
  const values = Object.values(document);
  if (Array.isArray(document)) return values.length === 0;
  return (
    values.length > 0 &&
    values.every((value) => value === null || (Array.isArray(value) && value.length === 0))
  );
}
