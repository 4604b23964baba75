import { parse as parseCsvText } from 'csv-parse/sync';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { type Report, ReportError } from './importer.ts';

/** Parses XML, one JSON document or several in a row, or CSV. @throws ReportError if the text is none of them */
export function parseReport(text: string): Report {
  const content = text.replace(/^\uFEFF/, '').trim();
  if (content === '') throw new ReportError('The report is empty');
  if (/^<(?:!doctype html|html)\b/i.test(content)) throw new ReportError(adviceForHtml(content));
  if (content.startsWith('<')) return parseXml(content);
  return parseCsv(content) ?? { kind: 'json', documents: parseJson(content) };
}

/** HTML is written for people. How to write the report in a format that can be read. */
const adviceForHtml = (content: string): string =>
  /<title>[^<]*SonarQube/i.test(content)
    ? 'This is an HTML report of SonarQube: export the issues as JSON with /api/issues/search and /api/hotspots/search'
    : 'HTML reports cannot be read: write the report as JSON, XML, CSV or SARIF';

/** Parses text with a header line of at least two columns. @returns undefined if it is not CSV */
function parseCsv(content: string): Report | undefined {
  const [header = ''] = content.split('\n', 1);
  if (/^[[{]/.test(content) || !/[,;\t]/.test(header)) return undefined;
  let records: string[][];
  try {
    records = parseCsvText(content, {
      delimiter:
        [',', ';', '\t'].toSorted((a, b) => header.split(b).length - header.split(a).length)[0] ?? ',',
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      trim: true,
    });
  } catch (error) {
    throw new ReportError(`The CSV cannot be read: ${(error as Error).message}`);
  }
  const [columns = [], ...lines] = records;
  const rows = lines.map((cells) =>
    // A column may be called `constructor`.
    Object.assign(Object.create(null), Object.fromEntries(columns.map((name, i) => [name, cells[i] ?? '']))),
  );
  return { kind: 'csv', columns, rows };
}

function parseXml(content: string): Report {
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

function parseJson(content: string): unknown[] {
  let document: unknown;
  try {
    document = JSON.parse(content);
  } catch (error) {
    return parseStream(content, error as Error);
  }
  return [document];
}

/** Parses JSON documents in a row, each on one or more lines. */
function parseStream(content: string, error: Error): unknown[] {
  if (!/^[[{]/.test(content))
    throw new ReportError(`The report is neither JSON, XML nor CSV (${error.message})`);
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
