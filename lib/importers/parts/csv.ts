import { parse } from 'csv-parse/stream';
import { type Report, ReportError, type Split } from '../importer.ts';
import { csvOptions, headerOf, MAX_LINES_ABOVE, rowsOf } from '../read/parse.ts';
import { formatSize, type Texts } from '../read/source.ts';
import { type OpenReport, type Part, type PartLimits, slicesOf } from './part.ts';

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
    const slices = slicesOf<'rows', string[]>(limits.partBytes, undefined, async function* (add) {
      let skipped = 0;
      for await (const record of records()) {
        const size = record.reduce((sum, { length }) => sum + length, 0);
        if (skipped++ > header) add('rows', record, size);
        yield;
      }
    });
    for await (const [slice, offsets] of slices) {
      const offset = offsets.get('rows') ?? 0;
      yield {
        report: report(slice.get('rows') ?? []),
        offsets: new Map(['', 'rows'].map((list) => [list, offset])),
      };
    }
  }
  return {
    sample: report(above.slice(header + 1)),
    split: ({ csv }: Split) => (csv ? { common: report([]), parts } : undefined),
  };
}

/** Reads the records one after the other. */
async function* recordsOf(texts: Texts, start: string, { maxBytes }: PartLimits): AsyncIterable<string[]> {
  const parser = parse({ ...csvOptions(start), max_record_size: maxBytes });
  try {
    yield* ReadableStream.from(texts())
      .pipeThrough(new TextEncoderStream())
      .pipeThrough(parser) as AsyncIterable<string[]>;
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
