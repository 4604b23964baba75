import { z } from 'zod';
import { type ImportContext, open, type Report, type Result, readList } from '../importer.ts';
import type { CodeFinding } from '../kinds/code.ts';
import { firstDocument, hasKind } from '../read/report.ts';
import { fields, number, object, objects, requiredText, text } from '../read/schema.ts';
import { property } from '../read/values.ts';
import { htmlToMarkdown, htmlToText } from '../text/html.ts';
import { flawFinding, packageResult, severityOfLevel } from './veracode-results.ts';

const Cvss = object({ score: number, vector: text });

const Finding = z.object({
  ...fields(text, 'issue_id', 'description', 'context_guid'),
  scan_type: requiredText,
  finding_status: object({ status: text, resolution: text, resolution_status: text }),
  finding_details: z.object({
    severity: number,
    cwe: object({ id: text, name: text }),
    finding_category: object({ name: text }),
    ...fields(text, 'file_path', 'file_name', 'module', 'procedure', 'attack_vector', 'url'),
    ...fields(text, 'vulnerable_parameter', 'plugin', 'component_filename', 'language', 'version'),
    file_line_number: number,
    cve: object({ name: text, href: text, cvss: number, vector: text, cvss3: Cvss }),
    component_path: objects({ path: requiredText }),
  }),
});
type Finding = z.output<typeof Finding>;

function listOf(report: Report): unknown {
  const document = firstDocument(report);
  return property(document, '_embedded', 'findings') ?? property(document, 'findings');
}

/** Whether a report has findings of the API. */
export function isFindings(report: Report): boolean {
  const [first] = [listOf(report)].flat();
  return hasKind(first, { scan_type: 'value', finding_details: 'value' });
}

export function readFindings(
  report: Report,
  context: ImportContext,
): { flaws: CodeFinding[]; packages: Result[] } {
  const findings = readList(Finding, listOf(report), 'findings', context);
  const page = property(firstDocument(report), 'page');
  const total = number.parse(property(page, 'total_elements')) ?? 0;
  if (total > findings.length)
    context.error(`The report has ${findings.length} of ${total} findings: raise “size”`);
  const undecided = open(findings, closedBecause, context);
  const isPackage = ({ scan_type, finding_details }: Finding) =>
    scan_type === 'SCA' || Boolean(finding_details.cve);
  return {
    flaws: undecided.filter((finding) => !isPackage(finding)).map((finding) => flawOf(finding, context)),
    packages: undecided.filter(isPackage).map(packageOf),
  };
}

function closedBecause({ finding_status: found }: Finding): string | undefined {
  if (found?.resolution_status === 'APPROVED')
    return `their resolution is approved: ${found.resolution?.toLowerCase().replaceAll('_', ' ')}`;
  return found?.status === 'CLOSED' ? 'they are closed' : undefined;
}

function flawOf(finding: Finding, context: ImportContext) {
  const { issue_id, context_guid, description, finding_details: found } = finding;
  const name = found.finding_category?.name ?? found.cwe?.name ?? found.plugin ?? 'Flaw';
  return flawFinding(
    {
      entries: [finding],
      application: context_guid,
      issue: issue_id,
      name,
      severity: found.severity,
      cwe: found.cwe?.id,
      what: htmlToMarkdown(description?.replaceAll('</span>', '</p>')) || name,
      // The path contains the name of the file.
      file: found.file_path ?? found.file_name,
      line: found.file_line_number,
      url: found.url,
      facts: {
        Weakness: found.cwe?.name,
        Scan: finding.scan_type.toLowerCase(),
        Module: found.module,
        Function: found.procedure,
        'Attack vector': found.attack_vector,
        Parameter: found.vulnerable_parameter,
        Plugin: found.plugin,
      },
    },
    context,
  );
}

function packageOf(finding: Finding): Result {
  const { context_guid, description, finding_details: found } = finding;
  const { cve, component_filename: file, version } = found;
  const name = version ? file?.replace(`-${version}`, '').replace(/\.(?:jar|war|dll|gem|whl)$/i, '') : file;
  return packageResult('veracode', {
    entries: [finding],
    id: cve?.name ?? 'Vulnerability',
    description: htmlToText(description),
    severity: severityOfLevel(found.severity),
    score: cve?.cvss3?.score ?? cve?.cvss,
    vector: cve?.cvss3?.vector ?? cve?.vector,
    cwe: found.cwe?.id,
    name,
    version,
    project: context_guid,
    paths: found.component_path.map(({ path }) => path),
    facts: { Language: found.language?.toLowerCase() },
    references: [cve?.href],
  });
}
