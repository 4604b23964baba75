import { parse } from 'csv-parse/stream';
import { type Report, ReportError, type Split } from '../importer.ts';
import { csvOptions, headerOf, MAX_LINES_ABOVE, rowsOf } from '../read/parse.ts';
import type { OpenReport, Part, PartLimits } from './part.ts';
import { formatSize, type Texts } from './source.ts';

const firstLine = (start: string): string => start.trimStart().split('\n', 1)[0] ?? '';

/** Whether a text is CSV: its first line has several columns. */
export const isCsv = (start: string): boolean => /[,;\t]/.test(firstLine(start));

/** @param start the beginning of the report */
export async function openCsv(texts: Texts, start: string, limits: PartLimits): Promise<OpenReport> {
  const records = () => recordsOf(texts, start, limits);
  const above: string[][] = [];
  for await (const record of records()) if (above.push(record) === MAX_LINES_ABOVE) break;
  const header = headerOf(above);
  const columns = above[header] ?? [];
  const report = (rows: readonly string[][]): Report => ({
    kind: 'csv',
    columns,
    rows: rowsOf(rows, columns),
  });

  async function* parts(): AsyncIterable<Part> {
    let rows: string[][] = [];
    let [skipped, size, offset] = [0, 0, 0];
    const part = (): Part => ({
      report: report(rows),
      offsets: new Map(['', 'rows'].map((list) => [list, offset])),
    });
    for await (const record of records()) {
      if (skipped++ <= header) continue;
      rows.push(record);
      size += record.reduce((sum, { length }) => sum + length, 0);
      if (size < limits.partBytes) continue;
      yield part();
      offset += rows.length;
      rows = [];
      size = 0;
    }
    if (rows.length > 0) yield part();
  }
  return {
    sample: report(above.slice(header + 1)),
    documents: 0,
    split: ({ csv }: Split) => (csv ? { common: report([]), parts } : undefined),
  };
}

/** Reads the records one after the other. */
async function* recordsOf(texts: Texts, start: string, { maxBytes }: PartLimits): AsyncIterable<string[]> {
  const parser = parse({ ...csvOptions(firstLine(start)), max_record_size: maxBytes });
  try {
    yield* ReadableStream.from(texts()).pipeThrough(parser) as AsyncIterable<string[]>;
  } catch (error) {
    if (error instanceof ReportError) throw error;
    const { code, message } = error as Error & { code?: string };
    throw new ReportError(
      code === 'CSV_MAX_RECORD_SIZE'
        ? `A row of the report is larger than ${formatSize(maxBytes)}, which cannot be read`
        : `The CSV cannot be read: ${message}`,
    );
  }
}
