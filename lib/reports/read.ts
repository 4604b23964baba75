import type { Finding } from '../importers/finding.ts';
import { ReportError } from '../importers/importer.ts';
import { type ImportOptions, importReport } from '../importers/index.ts';
import { FORMATS } from '../importers/names.ts';
import type { ImportedParts } from '../importers/parts/index.ts';
import { isArchive, unpackedSize } from '../importers/read/archive.ts';
import { hasTooManyValues, type SentReport, TooLargeError, unwrap } from './unwrap.ts';

/** The service has no workspace: no path is in this directory, because paths have no NUL. */
export const WORKSPACE = { directory: '/\0' };

/** A report with more takes longer to write than a client waits. */
export const MAX_FINDINGS = 100_000;

/** A report to read. */
export interface ReportJob extends SentReport {
  /** The name of an importer. Default: detected. */
  format?: string | undefined;
  /** The most bytes of the report, inflated. */
  maxBytes: number;
}

/** The content of a report besides its findings. Plain data, because it crosses processes. */
export interface ReportHead {
  format: string;
  /** Failures of the scanner. */
  errors: string[];
  /** Remarks about the report. */
  warnings: string[];
  /** The scanners that ran, also those that found nothing. */
  sources: string[];
  category?: string | undefined;
  /** The number of findings. */
  count: number;
}

/** Why a report cannot be read. */
export interface Refusal {
  message: string;
  /** The position of the error. */
  location?: string | undefined;
  /** The formats that were tried. */
  formats: readonly string[];
  /** The limit, if the report is larger. */
  maxBytes?: number | undefined;
}

/** The outcome of reading a report. */
export type ReportOutcome =
  | { kind: 'read'; head: ReportHead; chunks: AsyncGenerator<Finding[]> }
  /** It cannot be read. */
  | { kind: 'refused'; refusal: Refusal; bug?: string };

/** Imports a large report in parts. @returns undefined if the caller must import it at once */
export type ImportLarge = (
  content: Uint8Array,
  options: Pick<ImportOptions, 'format'>,
) => Promise<ImportedParts | undefined>;

export interface ReadOptions {
  /** Called with the size of the report, before it is parsed. */
  onUnpacked?: (bytes: number) => void;
  /** Set where memory matters more than processor time. */
  importLarge?: ImportLarge | undefined;
}

/** Reads a report: unpacks it, detects its format and imports it. Never rejects. */
export async function readReport(
  { format, maxBytes, ...sent }: ReportJob,
  { onUnpacked, importLarge }: ReadOptions = {},
): Promise<ReportOutcome> {
  let formats: readonly string[] = [];
  try {
    const content = await unwrap(sent, maxBytes);
    formats = format === undefined ? FORMATS : [format];
    onUnpacked?.(isArchive(content) ? unpackedSize(content) : content.byteLength);
    if (!isArchive(content) && hasTooManyValues(content, maxBytes))
      throw new ReportError('The report has too many values for its size');
    const large = await importLarge?.(content, { format });
    if (large) {
      const { findings, skipped: _, ...head } = large;
      return { kind: 'read', head, chunks: inChunks(findings()) };
    }
    const imported = importReport(content, WORKSPACE, {
      ...{ format, maxBytes, maxFindings: MAX_FINDINGS },
    });
    const { findings, errors, warnings, sources, category } = imported;
    formats = [imported.format];
    return {
      kind: 'read',
      head: { format: imported.format, errors, warnings, sources, category, count: findings.length },
      chunks: inChunks([findings]),
    };
  } catch (error) {
    return { kind: 'refused', ...refusalOf(error, formats) };
  }
}

/** @param formats the formats that were tried */
export function refusalOf(error: unknown, formats: readonly string[]): { refusal: Refusal; bug?: string } {
  if (error instanceof ReportError) {
    const { message, location, format } = error;
    const maxBytes = error instanceof TooLargeError ? error.maxBytes : undefined;
    return { refusal: { message, location, formats: format === undefined ? formats : [format], maxBytes } };
  }
  const { message, stack = message } = error as Error;
  if (error instanceof RangeError && /call stack/.test(message))
    return { refusal: { message: 'The report is nested too deeply', formats } };
  return { refusal: { message: 'The report cannot be read', formats }, bug: stack };
}

const CHUNK_FINDINGS = 128;
const CHUNK_CHARACTERS = 500_000;

/** Splits findings into parts that take a few milliseconds to hand over. */
async function* inChunks(batches: AsyncIterable<Finding[]> | Iterable<Finding[]>): AsyncGenerator<Finding[]> {
  let chunk: Finding[] = [];
  let characters = 0;
  for await (const batch of batches) {
    for (const finding of batch) {
      chunk.push(finding);
      characters += finding.description.length;
      if (chunk.length < CHUNK_FINDINGS && characters < CHUNK_CHARACTERS) continue;
      yield chunk;
      chunk = [];
      characters = 0;
    }
  }
  if (chunk.length > 0) yield chunk;
}
