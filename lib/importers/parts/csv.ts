import { parse } from 'csv-parse/sync';
import { ReportError } from '../importer.ts';
import { csvOptions, headerOf, MAX_LINES_ABOVE, rowsOf } from '../read/parse.ts';
import { locator, type Part, type PartLimits, type PartReader } from './part.ts';
import { formatSize } from './source.ts';

type Chunks = () => AsyncIterable<Uint8Array>;

/** Size of the beginning by which the format is recognized. */
const SAMPLE_BYTES = 256 * 1024;

/** Whether a text is CSV: its first line has several columns. */
export const isCsv = (start: string): boolean => /[,;\t]/.test(start.trimStart().split('\n', 1)[0] ?? '');

/** Reads records of CSV, some at a time. The parser finds where they end; the last one of a piece may continue in the next. */
async function* recordsIn(chunks: Chunks, { partBytes, maxBytes }: PartLimits): AsyncIterable<string[][]> {
  let buffer = new Uint8Array(0);
  let wanted = partBytes;
  let options: ReturnType<typeof csvOptions> | undefined;
  const take = (isEnd: boolean): string[][] => {
    if (!options) {
      const [header = '', ...rest] = new TextDecoder().decode(buffer).trimStart().split('\n');
      if (rest.length > 0 || isEnd) options = csvOptions(header);
      else wanted *= 2;
    }
    if (!options) return [];
    const records: { record: string[]; end: number }[] = [];
    const failure = parseInto(records, buffer, options);
    if (failure && (isEnd || failure.code !== 'CSV_QUOTE_NOT_CLOSED'))
      throw new ReportError(`The CSV cannot be read: ${failure.message}`);
    // The last record may continue, unless it is followed by an open quote.
    const complete = isEnd ? records : records.slice(0, -1);
    const end = isEnd ? buffer.length : (complete.at(-1)?.end ?? 0);
    buffer = buffer.slice(end);
    wanted = complete.length > 0 ? partBytes : wanted * 2;
    if (buffer.length > maxBytes)
      throw new ReportError(
        `A row of the report is larger than ${formatSize(maxBytes)}, which cannot be read`,
      );
    return complete.map(({ record }) => record);
  };
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  const collect = () => {
    const joined = new Uint8Array(buffer.length + bytes);
    let at = 0;
    for (const part of [buffer, ...waiting]) {
      joined.set(part, at);
      at += part.length;
    }
    buffer = joined;
    waiting = [];
    bytes = 0;
  };
  for await (const chunk of chunks()) {
    waiting.push(chunk.slice());
    bytes += chunk.length;
    if (bytes + buffer.length < Math.min(wanted, maxBytes + partBytes)) continue;
    collect();
    yield take(false);
  }
  collect();
  yield take(true);
}

function parseInto(
  records: { record: string[]; end: number }[],
  bytes: Uint8Array,
  options: ReturnType<typeof csvOptions>,
): (Error & { code?: string }) | undefined {
  try {
    parse(bytes, {
      ...options,
      on_record(record: string[], { bytes: end }) {
        records.push({ record, end });
        return null;
      },
    });
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

/** The beginning of a CSV report. */
export async function csvSample(chunks: Chunks) {
  for await (const [columns, rows] of tableOf(chunks, { partBytes: SAMPLE_BYTES, maxBytes: 2 ** 25 }))
    return { kind: 'csv' as const, columns, rows };
  return { kind: 'csv' as const, columns: [], rows: [] };
}

/** The columns, and some rows at a time. */
async function* tableOf(
  chunks: Chunks,
  limits: PartLimits,
): AsyncIterable<[columns: string[], rows: Record<string, string>[]]> {
  let first: string[][] | undefined = [];
  let columns: string[] = [];
  for await (const records of recordsIn(chunks, limits)) {
    if (first === undefined) {
      yield [columns, rowsOf(records, columns)];
      continue;
    }
    first.push(...records);
    if (first.length < MAX_LINES_ABOVE) continue;
    columns = columnsIn(first);
    yield [columns, rowsOf(first.slice(headerOf(first) + 1), columns)];
    first = undefined;
  }
  if (first) yield [columnsIn(first), rowsOf(first.slice(headerOf(first) + 1), columnsIn(first))];
}

const columnsIn = (records: string[][]): string[] => records[headerOf(records)] ?? [];

/** Splits the rows of CSV. */
export async function readCsv(chunks: Chunks, limits: PartLimits): Promise<PartReader> {
  const { columns } = await csvSample(chunks);
  async function* parts(): AsyncIterable<Part> {
    let offset = 0;
    for await (const [, rows] of tableOf(chunks, limits)) {
      if (rows.length === 0) continue;
      yield {
        report: { kind: 'csv', columns, rows },
        locate: locator(
          new Map([
            ['', offset],
            ['rows', offset],
          ]),
        ),
      };
      offset += rows.length;
    }
  }
  return { common: { kind: 'csv', columns, rows: [] }, parts };
}
