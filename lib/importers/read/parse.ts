import { parse as parseCsvText } from 'csv-parse/sync';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { type Report, ReportError } from '../importer.ts';

/**
 * Parses XML, one JSON document or several in a row, CSV or other text.
 * @param maxRows CSV with more rows is read up to one of them
 * @throws ReportError if the JSON, XML or CSV is broken
 */
export function parseReport(text: string, maxRows = Infinity): Report {
  // Scout Suite writes a script that assigns its result.
  const content = text
    .replace(/^\uFEFF/, '')
    .trim()
    .replace(/^scoutsuite_results\s*=\s*(?=\{)/, '');
  if (content === '') throw new ReportError('The report is empty');
  if (/^<(?:!doctype html|html)\b/i.test(content)) throw new ReportError(adviceForHtml(content));
  if (content.startsWith('<')) return parseXml(content);
  return parseCsv(content, maxRows) ?? parseJson(content);
}

/** HTML is written for people. How to write the report in a format that can be read. */
const adviceForHtml = (content: string): string =>
  /<title>[^<]*SonarQube/i.test(content)
    ? 'This is an HTML report of SonarQube: export the issues as JSON with /api/issues/search and /api/hotspots/search'
    : 'HTML reports cannot be read: write the report as JSON, XML, CSV or SARIF';

/** Parses text with a header line of at least two columns. @returns undefined if it is not CSV */
function parseCsv(content: string, maxRows: number): Report | undefined {
  if (!isCsv(content)) return undefined;
  let records: string[][];
  try {
    const to = maxRows === Infinity ? undefined : maxRows + MAX_LINES_ABOVE + 2;
    records = parseCsvText(content, { ...csvOptions(content), to });
  } catch (error) {
    throw new ReportError(`The CSV cannot be read: ${(error as Error).message}`);
  }
  const start = headerOf(records);
  const columns = records[start] ?? [];
  return { kind: 'csv', columns, rows: rowsOf(records.slice(start + 1), columns) };
}

/** The line above the header that tells Excel the separator: `sep=;`. */
const SEPARATOR = /^"?sep=([^\r\n])"?[ \t]*(?:\r\n?|\n)/i;

/** Whether text that is neither JSON nor XML is CSV: its first line has several columns, or names their separator. */
export const isCsv = (content: string): boolean => {
  const [line = ''] = content.split('\n', 1);
  return !/^[[{]/.test(content) && (/[,;\t]/.test(line) || SEPARATOR.test(content));
};

/** @param content the report, or its beginning */
export function csvOptions(content: string) {
  const [, separator] = SEPARATOR.exec(content) ?? [];
  const [header = ''] = content.split('\n', 1);
  const [frequent = ','] = [',', ';', '\t'].toSorted(
    (a, b) => header.split(b).length - header.split(a).length,
  );
  return {
    delimiter: separator ?? frequent,
    from_line: separator === undefined ? 1 : 2,
    // The parser would expect the end of the first line everywhere, and join rows of a file that was put together from several.
    ...(!header.trimEnd().includes('\r') && { record_delimiter: ['\r\n', '\n'] }),
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    trim: true,
  };
}

export const rowsOf = (records: readonly string[][], columns: readonly string[]): Record<string, string>[] =>
  records.map((cells) =>
    // A column may be called `constructor`.
    Object.assign(Object.create(null), Object.fromEntries(columns.map((name, i) => [name, cells[i] ?? '']))),
  );

/** The position of the header. Some tools write a few shorter lines above it, such as a title and the date. */
export function headerOf(records: readonly string[][]): number {
  const first = records[0]?.length ?? 0;
  const longer = records
    .slice(0, MAX_LINES_ABOVE)
    .findIndex(({ length }) => length >= MIN_COLUMNS && length >= 2 * first);
  return Math.max(longer, 0);
}

export const MAX_LINES_ABOVE = 20;
const MIN_COLUMNS = 8;

/** Removes comments above the XML declaration, such as a licence. The parser wants the declaration first. */
function fromDeclaration(text: string): string {
  let start = 0;
  while (text.startsWith('<!--', start)) {
    const end = text.indexOf('-->', start);
    if (end < 0) return text;
    start = end + '-->'.length;
    while (/\s/.test(text.charAt(start))) start++;
  }
  return text.startsWith('<?xml', start) ? text.slice(start) : text;
}

export function parseXml(text: string): Report {
  const content = fromDeclaration(text);
  refuseLongAttributes(content);
  const valid = XMLValidator.validate(content);
  if (valid !== true) throw new ReportError(valid.err.msg, `line ${valid.err.line}`);
  const parser = new XMLParser({
    ignoreAttributes: false,
    parseAttributeValue: false,
    parseTagValue: false,
    // Also decodes numeric entities, which ZAP writes for all characters outside ASCII.
    htmlEntities: true,
    ignoreDeclaration: true,
    ignorePiTags: true,
    isArray: (_name, _path, _isLeaf, isAttribute) => !isAttribute,
  });
  let document: Record<string, unknown>;
  try {
    document = parser.parse(content);
  } catch (error) {
    throw new ReportError(`The XML cannot be read: ${(error as Error).message}`);
  }
  const [root] = Object.keys(document);
  if (root === undefined) throw new ReportError('The XML has no element');
  return { kind: 'xml', root, document };
}

/** Parsers need 40 bytes and 200 to 500 ns for each character of an attribute. */
const MAX_ATTRIBUTE = 4 * 1024 * 1024;

/** @param length of an attribute, or of all that a tag has */
export function checkAttributes(length: number) {
  if (length > MAX_ATTRIBUTE) throw new ReportError('The XML has attributes of more than 4 MiB');
}

function refuseLongAttributes(content: string) {
  for (const [{ length }] of content.matchAll(/=\s{0,9}(?:"[^"<]*|'[^'<]*)/g)) {
    checkAttributes(length);
  }
}

function parseJson(content: string): Report {
  try {
    return { kind: 'json', documents: [JSON.parse(content)] };
  } catch {
    return /^[[{]/.test(content)
      ? { kind: 'json', documents: parseStream(content) }
      : { kind: 'text', text: content };
  }
}

/** Parses JSON documents in a row, each on one or more lines. */
function parseStream(content: string): unknown[] {
  const documents: unknown[] = [];
  let start = 0;
  for (const end of documentEnds(content)) {
    const part = content.slice(start, end);
    try {
      documents.push(JSON.parse(part));
    } catch {
      throw brokenJson(content, start, part);
    }
    start = end;
  }
  const rest = content.slice(start);
  if (rest.trim() !== '') throw brokenJson(content, start, rest);
  return documents;
}

function brokenJson(content: string, start: number, part: string): ReportError {
  const skipped = part.length - part.trimStart().length;
  const line = content.slice(0, start + skipped).split('\n').length;
  return new ReportError('The JSON is invalid', `line ${line}`);
}

/** The end offsets of the top-level objects and arrays. */
function* documentEnds(content: string): Generator<number> {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < content.length; i++) {
    const char = content[i];
    if (inString) {
      if (char === '\\') i++;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === '{' || char === '[') depth++;
    else if ((char === '}' || char === ']') && --depth <= 0) {
      yield i + 1;
      depth = 0;
    }
  }
}
