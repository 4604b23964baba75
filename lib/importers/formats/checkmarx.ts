import { z } from 'zod';
import { type ImportContext, type Importer, type Report, readAt, readList } from '../importer.ts';
import { codeResults } from '../kinds/code.ts';
import { documentOf, firstDocument, hasKind, hasRoot, rootOf } from '../read/report.ts';
import { fields, flag, list, number, objects, record, requiredText, text, textAt } from '../read/schema.ts';
import { elementAt, elements, isObject, property } from '../read/values.ts';
import { isOpen, type Node, type StaticResult, staticFinding } from '../tools/checkmarx-results.ts';

const PathNode = z.object({
  FileName: text,
  Line: number,
  Column: number,
  Name: text,
  Snippet: objects({ Line: objects({ Number: number, Code: text }) }),
});

const Result = z.object({
  ...fields(text, '@_FileName', '@_Severity', '@_Status', '@_state', '@_Remark', '@_DeepLink'),
  '@_Line': number,
  '@_Column': number,
  '@_FalsePositive': flag,
  Path: objects({ '@_SimilarityId': text, PathNode: list(PathNode) }),
});

const Query = z.object({
  '@_name': requiredText,
  ...fields(text, '@_cweId', '@_group', '@_Language', '@_Severity'),
});

/** The XML of Checkmarx CxSAST, and the JSON of CxFlow. */
export const checkmarx: Importer = {
  name: 'checkmarx',
  about: {
    tool: '[Checkmarx CxSAST](https://checkmarx.com), CxFlow',
    command: 'the XML report of a scan, or `cx-flow --bug-tracker=Json`',
    versions: 'CxSAST 8.6, 9.3 and 9.4, CxFlow for 8.9',
    identity: 'query and similarity id',
    severity: '`Severity`',
  },

  detects: (report) => hasRoot(report, 'CxXMLResults') || hasKind(documentOf(report), { xissues: 'list' }),

  category: (report) =>
    report.kind === 'xml' ? textAt(rootOf(report, 'CxXMLResults'), '@_ProjectName') : undefined,

  results(report, context) {
    const results = report.kind === 'xml' ? readXml(report, context) : readFlow(report, context);
    return codeResults(
      'checkmarx',
      results.map((result) => staticFinding('checkmarx', result, context)),
      context,
    );
  },
};

/** The codes of states: 1 is “not exploitable”. */
const STATES = ['To verify', 'Not exploitable', 'Confirmed', 'Urgent', 'Proposed not exploitable'];

function readXml(report: Report, context: ImportContext): StaticResult[] {
  const root = elementAt(report.kind === 'xml' ? report.document : undefined, 'CxXMLResults');
  const queries = elements(root, 'Query');
  const read = readList(
    Query.extend({ element: z.unknown() }),
    queries.map((element) => ({ ...element, element })),
    'CxXMLResults.Query',
    context,
  );
  return read.flatMap(({ element, ...query }) =>
    readList(Result, elements(element, 'Result'), `Query ${query['@_name']}.Result`, context).flatMap(
      (result) => {
        const state = result['@_FalsePositive'] ? STATES[1] : STATES[Number(result['@_state'] ?? 0)];
        if (!isOpen(state, context)) return [];
        const [path] = result.Path;
        const place = { file: result['@_FileName'], line: result['@_Line'], column: result['@_Column'] };
        return {
          entries: [element, result],
          query: query['@_name'],
          group: query['@_group'],
          language: query['@_Language'],
          cwe: query['@_cweId'],
          similarityId: path?.['@_SimilarityId'],
          severity: result['@_Severity'] ?? query['@_Severity'],
          status: result['@_Status'],
          state,
          link: result['@_DeepLink'],
          notes: result['@_Remark'],
          nodes: path?.PathNode.length ? path.PathNode.map(nodeOf) : [place],
        };
      },
    ),
  );
}

const nodeOf = ({ FileName, Line, Column, Name, Snippet: [snippet] }: z.output<typeof PathNode>): Node => ({
  file: FileName,
  line: Line,
  column: Column,
  name: Name,
  code: (snippet?.Line.find((line) => line.Number === Line) ?? snippet?.Line[0])?.Code,
});

const FlowNode = z.object({ file: text, line: number, column: number, object: text, snippet: text });

const FlowIssue = z.object({
  vulnerability: requiredText,
  ...fields(text, 'vulnerabilityStatus', 'similarityId', 'cwe', 'description', 'language', 'severity'),
  ...fields(text, 'link', 'filename'),
  details: record,
  additionalDetails: z
    .object({ results: list(z.record(z.string(), z.unknown())) })
    .optional()
    .catch(undefined),
});
type FlowIssue = z.output<typeof FlowIssue>;

/** An issue of CxFlow has the results of one query in one file. */
function readFlow(report: Report, context: ImportContext): StaticResult[] {
  const issues = readAt(FlowIssue, firstDocument(report), 'xissues', context);
  return issues.flatMap((issue) => {
    const common = {
      query: issue.vulnerability,
      language: issue.language,
      cwe: issue.cwe,
      severity: issue.severity,
      state: issue.vulnerabilityStatus,
      description: issue.description,
      link: issue.link,
    };
    const results = issue.additionalDetails?.results ?? [];
    if (!isOpen(issue.vulnerabilityStatus, context)) return [];
    const flows = results.map((result) => ({
      state: STATES[Number(text.parse(result.state) ?? 0)],
      nodes: flowNodes(result),
      entries: [issue, result],
    }));
    const open = flows.filter(({ state, nodes }) => isOpen(state, context) && nodes.length > 0);
    if (flows.length === 0)
      return placesOf(issue, context).map((node) => ({ ...common, entries: [issue, node], nodes: [node] }));
    // The similarity id is that of the first result.
    return open.map(({ state, nodes, entries }) => ({
      ...common,
      entries,
      state: state ?? common.state,
      nodes,
      similarityId: flows.length === 1 ? issue.similarityId : undefined,
    }));
  });
}

/** The steps of a result: `source`, `1`, `2` … `sink`. */
function flowNodes(result: Record<string, unknown>): Node[] {
  const numbered = Object.keys(result)
    .filter((name) => /^\d+$/.test(name))
    .sort((a, b) => Number(a) - Number(b));
  return [...(numbered.length > 0 ? numbered : ['source']), 'sink'].flatMap((name) => {
    const { data } = FlowNode.safeParse(result[name]);
    return data ? [{ ...data, name: data.object, code: data.snippet }] : [];
  });
}

/** The flagged lines of a file, by number. */
function placesOf({ details, filename }: FlowIssue, context: ImportContext): Node[] {
  return Object.entries(details ?? {}).flatMap(([line, detail]) => {
    if (isObject(detail) && detail.falsePositive === true) {
      isOpen(STATES[1], context);
      return [];
    }
    return {
      file: filename,
      line: Number(line) || undefined,
      code: text.parse(property(detail, 'codeSnippet')),
    };
  });
}
