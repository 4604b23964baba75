import { z } from 'zod';
import { type ImportContext, type Result, readAt, readList } from '../importer.ts';
import { type CodeFinding, codeResults } from '../kinds/code.ts';
import { fields, list, number, requiredText, text } from '../read/schema.ts';
import { elements, property } from '../read/values.ts';
import { infrastructureFinding, packageResult } from './checkmarx-one-others.ts';
import { isOpen, nodeOf, OneNode, staticFinding } from './checkmarx-results.ts';

/* Checkmarx One has two kinds of JSON reports: that of 2022 groups by engine in `scanResults`, that of 2024 has a part per engine. */

const Common = { similarityId: text, severity: text, status: text, state: text, description: text };

const Static = z.object({
  ...Common,
  ...fields(text, 'groupName', 'cweId', 'sourceFileName', 'destinationFileName', 'destinationCode'),
  resultViewerLink: text,
  nodes: list(OneNode),
  sourceLine: number,
  destinationLine: number,
});

const Query = z.object({ queryName: requiredText, description: text, cweId: text, queryPath: text });

const Infrastructure = z.object({
  ...Common,
  ...fields(text, 'queryName', 'category', 'fileName', 'expectedValue', 'actualValue', 'issueType'),
  resultViewerLink: text,
  line: number,
});

const Package = z.object({
  ...Common,
  ...fields(text, 'id', 'cveId', 'cveName', 'cwe', 'version'),
  score: number,
});

export function readReport(document: unknown, context: ImportContext): Result[] {
  const scan = property(document, 'scanResults');
  const languages = elements(property(scan, 'sast'), 'languages');
  const queries = [
    ...elements(scan, 'resultsList').map((query) => ({ query, language: undefined })),
    ...languages.flatMap((language) =>
      elements(language, 'queries').map((query) => ({ query, language: text.parse(language.languageName) })),
    ),
  ];
  const technologies = elements(property(document, 'iacScanResults'), 'technology');
  const platforms = elements(property(scan, 'kics'), 'results');
  const packages = [
    ...elements(property(document, 'scaScanResults'), 'packages'),
    ...elements(property(scan, 'sca'), 'packages'),
  ];
  const code = [
    ...queries.flatMap(({ query, language }) => staticFindings(query, language, context)),
    ...technologies.flatMap((technology) =>
      elements(technology, 'queries').flatMap((query) =>
        infrastructureFindings(query, 'resultsList', text.parse(technology.name), context),
      ),
    ),
    ...platforms.flatMap((platform) =>
      infrastructureFindings(platform, 'vulnerabilities', text.parse(platform.name), context),
    ),
  ];
  const vulnerable = packages.flatMap((one) => packageResults(one, context));
  recordUnread(document, vulnerable.length, context);
  return [...codeResults('checkmarx-one', code, context), ...vulnerable];
}

function staticFindings(query: unknown, language: string | undefined, context: ImportContext): CodeFinding[] {
  const [known] = readList(Query, [query], 'query', context);
  if (!known) return [];
  const results = readAt(Static, query, 'vulnerabilities', context);
  return results
    .filter(({ state }) => isOpen(state, context))
    .map((result) =>
      staticFinding(
        'checkmarx-one',
        {
          ...result,
          entries: [query, result],
          query: known.queryName,
          description: known.description,
          cwe: result.cweId ?? known.cweId,
          group: result.groupName ?? known.queryPath,
          language,
          link: result.resultViewerLink,
          nodes: [...result.nodes.map(nodeOf), ...sinkOf(result, result.nodes.at(-1))],
        },
        context,
      ),
    );
}

/** The sink of a result, if the flow does not end there. */
function sinkOf(
  {
    destinationFileName: file,
    destinationLine: line,
    destinationCode: code,
  }: Omit<z.output<typeof Static>, 'nodes'>,
  last: z.output<typeof OneNode> | undefined,
) {
  return file && (last?.fileName !== file || last.line !== line) ? [{ file, line, code }] : [];
}

function infrastructureFindings(
  parent: unknown,
  name: string,
  platform: string | undefined,
  context: ImportContext,
): CodeFinding[] {
  const results = readList(Infrastructure, property(parent, name), name, context);
  return results
    .filter(({ state }) => isOpen(state, context))
    .map((result) =>
      infrastructureFinding(
        {
          ...result,
          entries: [parent, result],
          query: result.queryName ?? text.parse(property(parent, 'queryName')) ?? 'Misconfiguration',
          category: result.category ?? text.parse(property(parent, 'category')),
          description: result.description ?? text.parse(property(parent, 'description')),
          platform,
          file: result.fileName,
          expected: result.expectedValue,
          actual: result.actualValue,
          link: result.resultViewerLink,
        },
        context,
      ),
    );
}

function packageResults(one: Record<string, unknown>, context: ImportContext): Result[] {
  const identifier = text.parse(one.name) ?? text.parse(one.packageName);
  return readList(Package, one.vulnerabilities, 'vulnerabilities', context)
    .filter(({ state }) => isOpen(state, context))
    .map((found) => {
      const { cveId, cveName, ...vulnerability } = found;
      const id = cveName ?? cveId ?? vulnerability.id;
      return packageResult({ ...vulnerability, entries: [one, found], id, identifier }, context);
    });
}

/** Parts of other engines, whose shape is not known, are not imported. */
function recordUnread(document: unknown, packages: number, context: ImportContext) {
  for (const [part, name] of [
    ['containerScanResults', 'containers'],
    ['apiSecScanResults', 'API security'],
    ['scaScanResults', 'packages'],
  ] as const) {
    const total = number.parse(property(document, part, 'totalResults')) ?? 0;
    if (total > 0 && !(part === 'scaScanResults' && packages > 0))
      context.error(`${total} results of ${name} are not imported: use the JSON of “cx results show”`);
  }
}
