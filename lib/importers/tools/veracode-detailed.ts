import { z } from 'zod';
import { type ImportContext, open, type Report, type Result, readList, skipped } from '../importer.ts';
import type { CodeFinding } from '../kinds/code.ts';
import { fields, flag, number, requiredText, text } from '../read/schema.ts';
import { elementAt, elements } from '../read/values.ts';
import { escapeMarkdown, joined } from '../text/markdown.ts';
import { flawFinding, packageResult, severityOfLevel } from './veracode-results.ts';

const Flaw = z.object({
  ...fields(text, '@_issueid', '@_categoryname', '@_type', '@_description', '@_cweid', '@_module'),
  ...fields(text, '@_remediation_status', '@_mitigation_status', '@_sourcefile', '@_sourcefilepath'),
  ...fields(text, '@_scope', '@_functionprototype', '@_url', '@_vuln_parameter'),
  '@_severity': number,
  '@_line': number,
});

const Vulnerability = z.object({
  '@_cve_id': requiredText,
  '@_cvss_score': number,
  '@_severity': number,
  '@_cwe_id': text,
  '@_cve_summary': text,
  '@_mitigation': flag,
});

/** The flaws and vulnerable components of a detailed report. */
export function readDetailed(
  report: Report,
  context: ImportContext,
): { flaws: CodeFinding[]; packages: Result[] } {
  const root = elementAt(report.kind === 'xml' ? report.document : undefined, 'detailedreport');
  const application = text.parse(root?.['@_app_id']);
  const categories = elements(root, 'severity').flatMap((severity) =>
    elements(severity, 'category').map((category) => ({ severity, category })),
  );
  const flaws = categories.flatMap(({ severity, category }) => {
    const fix = textsOf(elements(category, 'recommendations')[0]);
    return elements(category, 'cwe').flatMap((cwe) =>
      ['staticflaws', 'dynamicflaws', 'manualflaws'].flatMap((kind) =>
        elements(cwe, kind).flatMap((list) =>
          open(readList(Flaw, elements(list, 'flaw'), kind, context), closedBecause, context).map((flaw) =>
            findingOf(
              [severity, category, cwe, flaw],
              flaw,
              text.parse(cwe['@_cwename']),
              fix,
              application,
              context,
            ),
          ),
        ),
      ),
    );
  });
  const analysis = elementAt(root, 'software_composition_analysis', 'vulnerable_components');
  const packages = elements(analysis, 'component').flatMap((one) => packagesOf(one, application, context));
  return { flaws, packages };
}

function closedBecause(flaw: z.output<typeof Flaw>): string | undefined {
  if (/^(?:fixed|mitigated)$/i.test(flaw['@_remediation_status'] ?? '')) return 'they are fixed';
  return flaw['@_mitigation_status'] === 'accepted' ? 'their mitigation is accepted' : undefined;
}

function findingOf(
  entries: readonly unknown[],
  flaw: z.output<typeof Flaw>,
  weakness: string | undefined,
  fix: string,
  application: string | undefined,
  context: ImportContext,
): CodeFinding {
  const name = flaw['@_categoryname'] ?? weakness ?? flaw['@_type'] ?? 'Flaw';
  return flawFinding(
    {
      entries,
      application,
      issue: flaw['@_issueid'],
      name,
      severity: flaw['@_severity'],
      cwe: flaw['@_cweid'],
      what: escapeMarkdown(flaw['@_description'] ?? name),
      fix,
      directory: flaw['@_sourcefilepath'],
      file: flaw['@_sourcefile'],
      line: flaw['@_line'],
      url: flaw['@_url'],
      facts: {
        Weakness: weakness,
        Call: flaw['@_type'],
        Module: flaw['@_module'],
        Class: flaw['@_scope'],
        Function: flaw['@_functionprototype'],
        Parameter: flaw['@_vuln_parameter'],
        Status: flaw['@_remediation_status'],
        Mitigation: flaw['@_mitigation_status'],
      },
    },
    context,
  );
}

/** The texts of paragraphs and their bullets, as Markdown. */
function textsOf(parent: unknown): string {
  const paragraphs = elements(parent, 'para').map((paragraph) => [
    escapeMarkdown(text.parse(paragraph['@_text']) ?? ''),
    ...elements(paragraph, 'bulletitem').map(
      (item) => `- ${escapeMarkdown(text.parse(item['@_text']) ?? '')}`,
    ),
  ]);
  return paragraphs
    .map((lines) => joined(lines, '\n'))
    .join('\n\n')
    .trim();
}

function packagesOf(
  component: Record<string, unknown>,
  application: string | undefined,
  context: ImportContext,
): Result[] {
  const listed = elements(component, 'vulnerabilities').flatMap((list) => elements(list, 'vulnerability'));
  // `maven:com.h2database:h2:2.1.214:`
  const [, library] = /^[^:]*:(.*?):[^:]*:$/.exec(text.parse(component['@_library_id']) ?? '') ?? [];
  const paths = elements(component, 'file_paths').flatMap((list) =>
    elements(list, 'file_path').flatMap((path) => text.parse(path['@_value']) ?? []),
  );
  return readList(Vulnerability, listed, 'vulnerability', context).flatMap((found) => {
    if (found['@_mitigation']) return skipped('their mitigation is accepted', context);
    return packageResult('veracode', {
      entries: [component, found],
      id: found['@_cve_id'],
      description: found['@_cve_summary'],
      severity: severityOfLevel(found['@_severity']),
      score: found['@_cvss_score'],
      cwe: found['@_cwe_id'],
      name: library ?? text.parse(component['@_library']) ?? text.parse(component['@_file_name']),
      version: text.parse(component['@_version']),
      project: application,
      paths,
    });
  });
}
