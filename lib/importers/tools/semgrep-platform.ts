import { z } from 'zod';
import { fingerprintOf, identifyCode } from '../identity/identity.ts';
import { type ImportContext, type Result as Imported, open, readAt } from '../importer.ts';
import { fields, number, object, requiredText, text, texts } from '../read/schema.ts';
import { isObject, property } from '../read/values.ts';
import { cveOf, cweOf, relativePath, severityOf } from '../support.ts';
import { maskCredentials } from '../text/credentials.ts';
import {
  codeBlock,
  describeFinding,
  firstSentence,
  formatLocation,
  joined,
  sanitizeMarkdown,
} from '../text/markdown.ts';

const Dependency = object({ package: text, version: text });
const Rule = z.object({ message: text, cwe_names: texts, owasp_names: texts });

/** A finding of `GET /api/v1/deployments/{slug}/findings`. */
const Finding = z.object({
  rule_name: requiredText,
  ...fields(text, 'rule_message', 'severity', 'confidence', 'state', 'status', 'triage_state'),
  ...fields(text, 'line_of_code_url', 'reachability', 'vulnerability_identifier'),
  repository: object({ name: text }),
  location: object({ file_path: text, line: number, column: number, end_line: number }),
  rule: Rule.catch(() => Rule.parse({})),
  assistant: object({
    autofix: object({ fix_code: text }),
    guidance: object({ summary: text, instructions: text }),
  }),
  found_dependency: Dependency,
});
type Finding = z.output<typeof Finding>;

const NamedVersion = object({ name: text, versionSpecifier: text });
const References = z.object({ cveIds: texts, cweIds: texts, owaspIds: texts, urls: texts });

/** A vulnerability of the older API of Semgrep Supply Chain, `…/ssc-vulns`. */
const Vulnerability = z.object({
  ...fields(text, 'title', 'exposureType', 'repositoryName', 'subdirectory', 'transitivity'),
  advisory: z.object({
    ruleId: requiredText,
    ...fields(text, 'title', 'description', 'severity'),
    references: References.catch(() => References.parse({})),
  }),
  matchedDependency: NamedVersion,
  closestSafeDependency: NamedVersion,
  dependencyFileLocation: object({ path: text, startLine: number, url: text }),
  triage: object({ status: text }),
});
type Vulnerability = z.output<typeof Vulnerability>;

const listOf = (document: unknown, name: string): unknown[] => {
  const found = property(document, name);
  return Array.isArray(found) ? found : [];
};

/** Whether a report is an answer of the API of Semgrep AppSec Platform. */
export function isPlatformReport(document: unknown): boolean {
  const [finding] = listOf(document, 'findings');
  const [vulnerability] = listOf(document, 'vulns');
  return (
    (isObject(finding) && 'rule_name' in finding && ('match_based_id' in finding || 'rule' in finding)) ||
    property(vulnerability, 'advisory', 'ruleId') !== undefined
  );
}

export function resultsOfPlatform(document: unknown, context: ImportContext): Imported[] {
  const findings = readAt(Finding, document, 'findings', context);
  const vulnerabilities = readAt(Vulnerability, document, 'vulns', context);
  if (property(document, 'hasMore') === true)
    context.error('The report is one page of several: append the others');
  const reasonOf = ({ state, status, triage_state }: Finding) =>
    CLOSED.get((status ?? triage_state ?? '').toLowerCase()) ?? CLOSED.get(state ?? '');
  const decided = ({ triage }: Vulnerability) => CLOSED.get(triage?.status?.toLowerCase() ?? '');
  return [
    ...open(findings, reasonOf, context).map((finding) => fromFinding(finding, context)),
    ...open(vulnerabilities, decided, context).map((found) => fromVulnerability(found, context)),
  ];
}

const CLOSED = new Map(
  Object.entries({
    fixed: 'Semgrep lists them as fixed',
    removed: 'Semgrep lists them as removed',
    ignored: 'they are ignored in Semgrep',
    dismissed: 'they are ignored in Semgrep',
    muted: 'they are ignored in Semgrep',
  }),
);

function fromFinding(finding: Finding, context: ImportContext): Imported {
  const { rule_name: rule, location, found_dependency: dependency } = finding;
  const file = relativePath(location?.file_path, context);
  const [line, column] = [location?.line, location?.column];
  const message = maskCredentials(finding.rule_message ?? finding.rule.message ?? '');
  const repository = finding.repository?.name;
  const { autofix, guidance } = finding.assistant ?? {};
  const parts = [rule, repository, dependency?.package];
  return {
    entries: [finding],
    identify:
      dependency?.package && finding.reachability !== 'reachable'
        ? (path) => fingerprintOf('semgrep', ...parts, path, 'package')
        : identifyCode('semgrep', parts, { file, line, column, endLine: location?.end_line }, context),
    ...(dependency?.package && { repeats: true }),
    title: joined([rule.split('.').at(-1), firstSentence(message)], ': '),
    rule_id: rule,
    severity: severityOf(finding.severity, 'medium'),
    description: describeFinding({
      what: sanitizeMarkdown(message),
      facts: {
        Rule: rule,
        Location: formatLocation(file, line),
        Repository: repository,
        Package: dependency?.package && `${dependency.package} ${dependency.version ?? ''}`,
        Reachability: finding.reachability,
        Confidence: finding.confidence,
        OWASP: finding.rule.owasp_names.join(', '),
      },
      fix: joined(
        [
          guidance?.summary && sanitizeMarkdown(guidance.summary),
          guidance?.instructions && sanitizeMarkdown(guidance.instructions),
          autofix?.fix_code && codeBlock(autofix.fix_code),
        ],
        '\n\n',
      ),
      references: [finding.line_of_code_url],
    }),
    cwe: cweOf(...finding.rule.cwe_names),
    cve: cveOf(finding.vulnerability_identifier),
    file,
    line,
    column,
  };
}

function fromVulnerability(vulnerability: Vulnerability, context: ImportContext): Imported {
  const { advisory, matchedDependency: dependency, closestSafeDependency: safe } = vulnerability;
  const { path, startLine, url } = vulnerability.dependencyFileLocation ?? {};
  const file = relativePath(path, context);
  const { repositoryName, subdirectory } = vulnerability;
  const name = `${dependency?.name ?? ''} ${dependency?.versionSpecifier ?? ''}`.trim();
  return {
    entries: [vulnerability],
    identify: (path) =>
      fingerprintOf(
        'semgrep',
        advisory.ruleId,
        repositoryName,
        subdirectory,
        path,
        'package',
        dependency?.name,
      ),
    repeats: true,
    title: joined([advisory.title ?? vulnerability.title ?? advisory.ruleId, name && `(${name})`], ' '),
    rule_id: advisory.ruleId,
    severity: severityOf(advisory.severity, 'medium'),
    description: describeFinding({
      what: sanitizeMarkdown(advisory.description ?? ''),
      facts: {
        Rule: advisory.ruleId,
        Location: formatLocation(file, startLine),
        Repository: repositoryName,
        Package: name,
        Exposure: vulnerability.exposureType,
        Transitivity: vulnerability.transitivity,
        OWASP: advisory.references.owaspIds.join(', '),
      },
      fix: safe?.name && `Update ${safe.name} to ${safe.versionSpecifier ?? 'a later version'}.`,
      references: [...advisory.references.urls, url],
    }),
    cwe: cweOf(...advisory.references.cweIds),
    cve: cveOf(...advisory.references.cveIds),
    file,
    line: startLine,
  };
}
