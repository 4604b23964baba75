import { type Report, ReportError, type Split } from '../importer.ts';
import { formatSize } from './source.ts';

/** Reports of at most this size are read at once, with `importReport`. */
export const MAX_WHOLE_BYTES = 256 * 1024 * 1024;

/** A part of a report, which is a report itself. */
export interface Part {
  report: Report;
  /** How many members of a list are in earlier parts, by the position of the list in messages. */
  offsets: ReadonlyMap<string, number>;
}

/** The sizes that bound the memory. */
export interface PartLimits {
  /** The size of a part without what all parts contain, in bytes. */
  partBytes: number;
  /** The size of a single member of a list, and of everything outside of the lists. */
  maxBytes: number;
  /** The most members of a list that is split. Default: unlimited. */
  maxMembers?: number | undefined;
}

/** A report whose structure is known. */
export interface OpenReport {
  /** A small report of the same format: the first members of each list. */
  sample: Report;
  /** The number of JSON documents in a row. */
  documents: number;
  /** Splits the report. @returns undefined if the importer does not split this layout */
  split(split: Split): PartReader | undefined;
}

/** The parts of a report. Each call reads the report again. */
export interface PartReader {
  /** The content that all parts share: the report with empty lists. Undefined if there is none. */
  common: Report | undefined;
  parts(): AsyncIterable<Part>;
}

export const CHANGED = 'The report was changed while it was read';

/** JSON and XML with more levels are refused, because importers recurse. */
const MAX_DEPTH = 1_000;

export function checkDepth(depth: number): void {
  if (depth > MAX_DEPTH) throw new ReportError('The report is nested too deeply');
}

/** @param held what is in memory, without the results that are already imported */
export function checkSize(held: number, { maxBytes }: PartLimits): void {
  if (held > maxBytes)
    throw new ReportError(
      `A result, or the report without its lists of results, is larger than ${formatSize(maxBytes)}. ${ADVICE}`,
    );
}

/** For reports that are too large. */
export const ADVICE = `Above ${formatSize(MAX_WHOLE_BYTES)}, CycloneDX, Nessus, SARIF and Trivy reports and the generic CSV and JSON can be read: split the scan, for example by folder or by host, or write SARIF`;
