import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { type Report, ReportError } from './importer.ts';

/** Parses a report's text: XML, one JSON document, or several behind one another. @throws ReportError */
export function parseReport(text: string): Report {
  const content = text.replace(/^\uFEFF/, '').trim();
  if (content === '') throw new ReportError('The report is empty');
  return content.startsWith('<') ? parseXml(content) : { kind: 'json', documents: parseJson(content) };
}

function parseXml(content: string): Report {
  const valid = XMLValidator.validate(content);
  if (valid !== true) throw new ReportError(valid.err.msg, `line ${valid.err.line}`);
  const parser = new XMLParser({
    ignoreAttributes: false,
    parseAttributeValue: false,
    parseTagValue: false,
    // Numbered ones too: ZAP writes everything that is not ASCII by its number.
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
  let whole: unknown;
  try {
    whole = JSON.parse(content);
  } catch (error) {
    return parseStream(content, error as Error);
  }
  return [whole];
}

/** JSON documents behind one another, each over one line or several. */
function parseStream(content: string, error: Error): unknown[] {
  if (!/^[[{]/.test(content)) throw new ReportError(`The report is neither JSON nor XML (${error.message})`);
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
  return new ReportError('The JSON is broken', `line ${line}`);
}

/** Where the objects and arrays at the top level end. */
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
