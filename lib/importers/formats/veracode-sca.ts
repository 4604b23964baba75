import { z } from 'zod';
import { type ImportContext, type Importer, open, type Report, type Result, readList } from '../importer.ts';
import { firstDocument, hasColumns, hasKind } from '../read/report.ts';
import { fields, flag, number, object, requiredText, text } from '../read/schema.ts';
import { property } from '../read/values.ts';
import { severityOf, severityOfScore } from '../support.ts';
import { joined } from '../text/markdown.ts';
import { packageResult } from '../tools/veracode-results.ts';

const Issue = z.object({
  ...fields(text, 'issue_status', 'issue_type', 'project_name'),
  ignored: flag,
  severity: number,
  library: z.object({ id: text, name: text, version: text, latest_version: text }),
  vulnerability: object({
    ...fields(text, 'id', 'title', 'cve', 'cvss2_vector', 'cvss3_vector', 'cwe_id'),
    cvss2_score: number,
    cvss3_score: number,
  }),
  vulnerable_method: flag,
  _links: object({ html: object({ href: text }) }),
});

const Row = z.object({
  ...fields(text, 'Issue type', 'Status', 'Version in use', 'Coordinate 1', 'Coordinate 2'),
  'Package manager': text,
  ...fields(text, 'Project', 'Vulnerability ID', 'Title', 'Severity', 'CVE', 'Updated Version'),
  'Dependency (Transitive or Direct)': text,
  Ignored: flag,
  Library: requiredText,
  'CVSS score': number,
});

/** The issues of a workspace of Veracode SCA, as JSON of the API and as CSV. */
export const veracodeSca: Importer = {
  name: 'veracode-sca',
  about: {
    tool: '[Veracode SCA](https://docs.veracode.com/r/Veracode_SCA_Agent_API)',
    command: '`/srcclr/v3/workspaces/ID/issues`, or the CSV export of issues',
    versions: 'API v3, an export of 2022',
    identity: 'project, package, vulnerability',
    severity: 'the CVSS score, or `Severity` of the export',
  },

  detects: (report) =>
    hasColumns(report, 'Issue ID', 'Issue type', 'Version in use', 'Coordinate 1') ||
    hasKind([issuesOf(report)].flat()[0], { library: 'value', issue_type: 'value' }),

  results: (report, context) =>
    report.kind === 'csv' ? readRows(report.rows, context) : readIssues(report, context),
};

const issuesOf = (report: Report): unknown => property(firstDocument(report), '_embedded', 'issues');

/** Why an issue is no open vulnerability. */
function closedBecause(type = 'vulnerability', status: string | undefined, ignored: boolean | undefined) {
  if (ignored) return 'they are ignored in Veracode';
  if (/^(?:fixed|resolved)$/i.test(status ?? '')) return 'they are fixed';
  if (/^(?:vulnerability)?$/i.test(type)) return undefined;
  return `they are about ${type.toLowerCase() === 'license' ? 'licences' : 'outdated libraries'}`;
}

/** Veracode omits the prefix. */
const idOf = (cve: string | undefined, id: string | undefined, title: string | undefined): string =>
  cve && /^\d{4}-\d+$/.test(cve) ? `CVE-${cve}` : cve || (id ? `Veracode ${id}` : (title ?? 'Vulnerability'));

function readIssues(report: Report, context: ImportContext): Result[] {
  const issues = readList(Issue, issuesOf(report), '_embedded.issues', context);
  const total = number.parse(property(firstDocument(report), 'page', 'total_elements')) ?? 0;
  if (total > issues.length)
    context.error(`The report has ${issues.length} of ${total} issues: raise “size”`);
  const reasonOf = (issue: z.output<typeof Issue>) =>
    closedBecause(issue.issue_type, issue.issue_status, issue.ignored);
  return open(issues, reasonOf, context).map((issue) => {
    const { library, vulnerability: found } = issue;
    // `maven:org.example:core:1.11.0:`
    const [, coordinates] = /^[^:]*:(.*?):[^:]*:$/.exec(library.id ?? '') ?? [];
    const score = found?.cvss3_score ?? found?.cvss2_score ?? issue.severity;
    return packageResult('veracode-sca', {
      entries: [issue],
      id: idOf(found?.cve, found?.id, found?.title),
      title: found?.title,
      severity: severityOfScore(issue.severity ?? score, 'medium'),
      score,
      vector: found?.cvss3_vector ?? found?.cvss2_vector,
      cwe: found?.cwe_id,
      name: coordinates ?? library.name,
      version: library.version,
      project: issue.project_name,
      facts: {
        Library: library.name,
        Project: issue.project_name,
        'Latest version': library.latest_version,
        'Vulnerable method is called': issue.vulnerable_method ? 'yes' : undefined,
      },
      references: [issue._links?.html?.href],
    });
  });
}

function readRows(rows: readonly Record<string, string>[], context: ImportContext): Result[] {
  const reasonOf = (row: z.output<typeof Row>) => closedBecause(row['Issue type'], row.Status, row.Ignored);
  return open(readList(Row, rows, '', context), reasonOf, context).map((row) => {
    const coordinates = joined([row['Coordinate 1'], row['Coordinate 2']], ':');
    return packageResult('veracode-sca', {
      entries: [row],
      id: idOf(row.CVE, row['Vulnerability ID'], row.Title),
      title: row.Title,
      severity: severityOf(row.Severity, severityOfScore(row['CVSS score'])),
      score: row['CVSS score'],
      name: coordinates || row.Library,
      version: row['Version in use'],
      project: row.Project,
      fixed: row['Updated Version'],
      facts: {
        Library: row.Library,
        Project: row.Project,
        'Package manager': row['Package manager'],
        Dependency: row['Dependency (Transitive or Direct)'],
      },
    });
  });
}
