import { z } from 'zod';
import { fingerprintOf } from '../identity/identity.ts';
import type { ImportContext } from '../importer.ts';
import type { CodeFinding } from '../kinds/code.ts';
import { fields, number, text } from '../read/schema.ts';
import { cweOf, relativePath, severityOf } from '../support.ts';
import { escapeMarkdown } from '../text/markdown.ts';

/** A step from source to sink. */
export interface Node {
  file?: string | undefined;
  line?: number | undefined;
  column?: number | undefined;
  name?: string | undefined;
  method?: string | undefined;
  code?: string | undefined;
}

export interface StaticResult {
  entries: readonly unknown[];
  query: string;
  group?: string | undefined;
  language?: string | undefined;
  /** The same for the same source and sink, in every scan of a project. */
  similarityId?: string | undefined;
  severity?: string | undefined;
  status?: string | undefined;
  state?: string | undefined;
  cwe?: string | number | undefined;
  description?: string | undefined;
  nodes: readonly Node[];
  link?: string | undefined;
  notes?: string | undefined;
}

/** A finding of static analysis. It is at the sink, or where the report says if it has no flow. */
export function staticFinding(tool: string, result: StaticResult, context: ImportContext): CodeFinding {
  const nodes = result.nodes.map((node) => ({ ...node, file: relativePath(node.file, context) }));
  const sink = nodes.at(-1);
  const name = result.query.replaceAll('_', ' ');
  const { similarityId, query } = result;
  return {
    entries: result.entries,
    title: name,
    rule_id: query,
    severity: severityOf(result.severity),
    identity: [query],
    identify: isId(similarityId) ? () => fingerprintOf(tool, query, similarityId) : undefined,
    rule: [name, query],
    file: sink?.file,
    line: sink?.line,
    column: sink?.column,
    code: sink?.code,
    flows: [nodes.map(({ file, line, name, code }) => ({ file, line, what: code?.trim() || name }))],
    describe: {
      what: escapeMarkdown(result.description?.trim() || name),
      facts: {
        Query: query,
        Group: result.group,
        Language: result.language,
        Method: sink?.method,
        State: result.state,
        Status: result.status,
      },
      details: escapeMarkdown(result.notes ?? ''),
      references: [result.link],
    },
    cwe: cweOf(result.cwe),
  };
}

const isId = (id: string | undefined): id is string => id !== undefined && !/^0?$/.test(id.trim());

/** Whether a result is open. “Proposed not exploitable” is: nobody has decided. */
export function isOpen(state: string | undefined, context: Pick<ImportContext, 'skip'>): boolean {
  const word = state?.toLowerCase().replace(/[\s_]/g, '');
  if (word !== 'notexploitable') return true;
  context.skip('they are marked as not exploitable');
  return false;
}

/** A step in the results and reports of Checkmarx One. */
export const OneNode = z.object({
  ...fields(text, 'fileName', 'name', 'node', 'method', 'code'),
  line: number,
  column: number,
});

export const nodeOf = ({ fileName, node, name = node, ...rest }: z.output<typeof OneNode>): Node => ({
  ...rest,
  file: fileName,
  name,
});
