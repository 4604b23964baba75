import { type ImportContext, ReportError } from '../importer.ts';
import { parseReport } from '../read/parse.ts';
import { isObject, text } from '../read/schema.ts';

/** Why issues are not problems, by their instance ids: the decisions of auditors in `audit.xml`. */
export function readAudit(content: string, context: Pick<ImportContext, 'warn'>): Map<string, string> {
  const decisions = new Map<string, string>();
  let document: unknown;
  try {
    const report = parseReport(content);
    if (report.kind !== 'xml') throw new ReportError('audit.xml is not XML');
    document = report.document;
  } catch (error) {
    context.warn(`The audit cannot be read: ${(error as Error).message}`);
  }
  const lists = local(local(document, 'Audit')[0], 'IssueList');
  for (const issue of lists.flatMap((list) => local(list, 'Issue'))) {
    if (!isObject(issue)) continue;
    const id = text.parse(issue['@_instanceId']);
    if (!id) continue;
    const values = local(issue, 'Tag').flatMap((tag) =>
      local(tag, 'Value').map((value) => text.parse(value)),
    );
    if (issue['@_suppressed'] === 'true') decisions.set(id, 'they are suppressed in Fortify');
    else if (values.some((value) => /^not an issue$/i.test(value?.trim() ?? '')))
      decisions.set(id, 'they are audited as “Not an Issue”');
  }
  return decisions;
}

/** The elements of a name, whatever their namespace prefix is. */
function local(parent: unknown, name: string): unknown[] {
  if (!isObject(parent)) return [];
  return Object.entries(parent).flatMap(([key, value]) =>
    key === name || key.endsWith(`:${name}`) ? [value].flat() : [],
  );
}
