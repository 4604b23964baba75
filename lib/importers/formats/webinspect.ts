import { z } from 'zod';
import { type ImportContext, type Importer, type Report, ReportError, readList } from '../importer.ts';
import { addressIdentity, cvesIn, type Issue, resultsOf, shownAddress } from '../kinds/issues.ts';
import { hasRoot, rootOf } from '../read/report.ts';
import { fields, requiredText, text, textAt } from '../read/schema.ts';
import { elementAt, elements } from '../read/values.ts';
import { cweOf, severityOfLevel } from '../support.ts';
import { htmlMarkdown, linksIn } from '../text/html.ts';
import { inlineCode, joined } from '../text/markdown.ts';

const Session = z.object({ URL: text, AttackParamDescriptor: text, RawRequest: text });
const Found = z.object({
  ...fields(text, 'URL', 'VulnerabilityID', 'CheckTypeID', 'AttackParamDescriptor', 'VulnerableSession'),
  Severity: text,
  Name: requiredText,
});
const Section = z.object({ Name: text, SectionText: text });

/** The XML exports of WebInspect: of a scan, and of its vulnerable sessions. */
export const webinspect: Importer = {
  name: 'webinspect',
  about: {
    tool: '[WebInspect](https://www.opentext.com/products/dynamic-application-security-testing) (Fortify, OpenText)',
    command: '*File > Export > Scan Details*, as XML',
    versions: '18.20 and 20.1, with the element `Sessions`; XML with `Scan`, of 2024, names no version',
    identity: 'vulnerability, address, names of the query parameters, parameter',
    severity: '`Severity` 4 to 0 as critical to info',
  },

  detects: (report) =>
    (hasRoot(report, 'Scan') && elementAt(rootOf(report, 'Scan'), 'Issues') !== undefined) ||
    (hasRoot(report, 'Sessions') &&
      elements(rootOf(report, 'Sessions'), 'Session').every((session) => 'Issues' in session)),

  results: (report, context) =>
    resultsOf(
      'webinspect',
      hasRoot(report, 'Scan') ? scanIssues(report, context) : sessionIssues(report, context),
      context,
    ),
};

function scanIssues(report: Report, context: ImportContext): Issue[] {
  const issues = elementAt(rootOf(report, 'Scan'), 'Issues');
  if (!issues) throw new ReportError('The list is missing', 'Scan.Issues');
  return issuesIn(issues, 'Scan.Issues', {}, context);
}

const sessionIssues = (report: Report, context: ImportContext): Issue[] =>
  elements(rootOf(report, 'Sessions'), 'Session').flatMap((element, index) => {
    const session = Session.parse(element);
    return issuesIn(elementAt(element, 'Issues'), `Sessions.${index}.Issues`, session, context);
  });

function issuesIn(
  parent: unknown,
  position: string,
  session: Partial<z.output<typeof Session>>,
  context: ImportContext,
): Issue[] {
  const found = elements(parent, 'Issue').map((element) => ({ ...element, element }));
  return readList(Found.extend({ element: z.unknown() }), found, position, context).map(
    ({ element, ...issue }) => toIssue(issue, element, session),
  );
}

function toIssue(
  issue: z.output<typeof Found>,
  element: unknown,
  session: Partial<z.output<typeof Session>>,
): Issue {
  const address = issue.URL ?? session.URL ?? '';
  const parameter = issue.AttackParamDescriptor ?? session.AttackParamDescriptor;
  const page = shownAddress(address);
  const sections = elements(element, 'ReportSection').map((section) => Section.parse(section));
  const section = (name: string) => sections.find(({ Name }) => Name?.startsWith(name))?.SectionText;
  const cwe = elements(element, 'Classifications', 'Classification').find(
    (classification) => textAt(classification, '@_kind') === 'CWE',
  );
  return {
    identity: [issue.VulnerabilityID ?? issue.Name, addressIdentity(address), parameter],
    title: `${issue.Name}${page && ` (${page}${parameter ? `, ${parameter}` : ''})`}`,
    rule_id: issue.VulnerabilityID ?? issue.Name,
    severity: severityOfLevel(issue.Severity),
    what: joined([section('Summary'), section('Implication')].map(htmlMarkdown), '\n\n'),
    facts: { Check: issue.VulnerabilityID, Parameter: parameter, Kind: issue.CheckTypeID },
    places: [inlineCode(page)],
    evidence: issue.VulnerableSession ?? session.RawRequest,
    fix: htmlMarkdown(section('Fix')),
    references: linksIn(section('Reference')),
    cwe: cweOf(textAt(cwe, '@_identifier')),
    cves: cvesIn(issue.Name, section('Summary')),
  };
}
