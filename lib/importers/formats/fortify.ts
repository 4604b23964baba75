import { type ImportContext, type Importer, ReportError } from '../importer.ts';
import { codeResults } from '../kinds/code.ts';
import { parseReport } from '../read/parse.ts';
import { hasRoot } from '../read/report.ts';
import { text } from '../read/schema.ts';
import { isObject, property } from '../read/values.ts';
import { readFvdl } from '../tools/fortify-fvdl.ts';
import { readListing } from '../tools/fortify-listing.ts';

/** FPR archives, the `audit.fvdl` in them, and the XML of a Fortify report. */
export const fortify: Importer = {
  name: 'fortify',
  about: {
    tool: '[Fortify SCA](https://www.opentext.com/products/static-application-security-testing)',
    command: '`sourceanalyzer -b ID -scan -f report.fpr`, or the XML of `ReportGenerator`',
    versions: 'FVDL 1.12 of SCA 23.1 and 24.2, XML reports of SCA 18.2, 20.1 and 22.1',
    identity: 'the instance id of Fortify, which does not depend on lines',
    severity: 'the Fortify priority, from impact and likelihood',
  },

  detects: (report) =>
    report.kind === 'archive'
      ? report.names.includes('audit.fvdl')
      : hasRoot(report, 'FVDL', 'ReportDefinition'),

  results(report, context) {
    if (report.kind === 'xml' && report.root === 'ReportDefinition')
      return codeResults('fortify', readListing(report.document, context), context);
    if (report.kind !== 'archive')
      return codeResults('fortify', readFvdl(report, new Map(), context), context);
    const audit = report.read('audit.xml');
    const decisions = audit === undefined ? new Map() : readAudit(audit, context);
    const scan = parseReport(report.read('audit.fvdl') ?? '');
    if (scan.kind !== 'xml') throw new ReportError('audit.fvdl is not XML');
    return codeResults('fortify', readFvdl(scan, decisions, context), context);
  },
};

/** Why issues are not problems, by their instance ids: the decisions of auditors in `audit.xml`. */
function readAudit(content: string, context: Pick<ImportContext, 'warn'>): Map<string, string> {
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
      ANALYSIS.test(text.parse(property(tag, '@_id')) ?? '')
        ? local(tag, 'Value').map((value) => text.parse(value))
        : [],
    );
    if (issue['@_suppressed'] === 'true') decisions.set(id, 'they are suppressed in Fortify');
    else if (values.some((value) => /^not an issue$/i.test(value?.trim() ?? '')))
      decisions.set(id, 'they are audited as “Not an Issue”');
  }
  return decisions;
}

/** The tag of the auditor. Others, such as a prediction, decide nothing. */
const ANALYSIS = /^(?:87f2|$)/i;

/** The elements of a name, whatever their namespace prefix is. */
function local(parent: unknown, name: string): unknown[] {
  if (!isObject(parent)) return [];
  return Object.entries(parent).flatMap(([key, value]) =>
    key === name || key.endsWith(`:${name}`) ? [value].flat() : [],
  );
}
