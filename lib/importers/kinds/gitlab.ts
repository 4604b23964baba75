import { z } from 'zod';
import type { Rating } from '../finding.ts';
import { type ImportContext, type Report, ReportError, read, readList } from '../importer.ts';
import { documentOf } from '../read/report.ts';
import { anything, fields, list, number, object, objects, requiredText, text } from '../read/schema.ts';
import { isObject, property } from '../read/values.ts';
import { cweOf, severityOf, severityOfScore } from '../support.ts';
import { joined } from '../text/markdown.ts';

/*
 * The report format of GitLab (https://gitlab.com/gitlab-org/security-products/security-report-schemas), which all its
 * scanners share. Only `location` and `details` depend on the kind of scan.
 */

const Tool = object({ id: text, name: text });

export const GitlabVulnerability = z.object({
  ...fields(text, 'id', 'category', 'name', 'message', 'description', 'severity', 'confidence', 'solution'),
  ...fields(text, 'cve', 'raw_source_code_extract'),
  evidence: object({ summary: text }),
  scanner: Tool,
  identifiers: objects({ type: text, name: text, value: requiredText, url: text }),
  links: objects({ name: text, url: requiredText }),
  cvss_vectors: objects({ vendor: text, vector: requiredText }),
  /** Remarks of the scanner, such as `flagged-as-likely-false-positive`. */
  flags: objects({ type: text, origin: text, description: text }),
  details: anything,
  location: z.record(z.string(), z.unknown()),
});

export type GitlabVulnerability = z.output<typeof GitlabVulnerability>;

const Message = z.object({ level: text, value: requiredText });

/** The kind of scan of a report: `sast`, `secret_detection`, `dependency_scanning`, `container_scanning`, `dast` …; undefined if it is not a report of GitLab, or does not say. */
export function gitlabScanOf(report: Report): string | undefined {
  const document = documentOf(report);
  const vulnerabilities = property(document, 'vulnerabilities');
  if (!Array.isArray(vulnerabilities)) return undefined;
  const type = property(document, 'scan', 'type');
  if (typeof type === 'string' && property(document, 'version') !== undefined) return type;
  const [first] = vulnerabilities;
  if (!isObject(first) || !Array.isArray(first.identifiers) || !isObject(first.location)) return undefined;
  if (typeof first.category === 'string') return first.category;
  return kindOf(first, first.location);
}

/** The kind of scan that writes such a vulnerability. */
function kindOf(vulnerability: Record<string, unknown>, location: Record<string, unknown>) {
  if (typeof property(location.dependency, 'package', 'name') === 'string')
    return 'image' in location ? 'container_scanning' : 'dependency_scanning';
  if ('hostname' in location) return 'dast';
  if ('raw_source_code_extract' in vulnerability) return 'secret_detection';
  return 'start_line' in location ? 'sast' : undefined;
}

/**
 * The vulnerabilities of a report of GitLab. Errors of the scanner are recorded.
 * @param kinds the kinds of scans that the importer knows
 * @throws ReportError if the scan failed, or is of another kind
 */
export function gitlabVulnerabilities(
  report: Report,
  kinds: readonly string[],
  context: ImportContext,
): GitlabVulnerability[] {
  const kind = gitlabScanOf(report);
  if (kind !== undefined && !kinds.includes(kind))
    throw new ReportError(`The report is of ${kind}`, 'scan.type');
  const document = documentOf(report);
  const scan = property(document, 'scan');
  const { data: messages = [] } = list(Message).safeParse(property(scan, 'messages'));
  for (const { level, value } of messages) {
    if (/^(?:fatal|error)$/i.test(level ?? '')) context.error(value);
    else if (/^warn/i.test(level ?? '')) context.warn(value);
  }
  const vulnerabilities = property(document, 'vulnerabilities');
  if (!Array.isArray(vulnerabilities)) throw new ReportError('expected a list', 'vulnerabilities');
  if (property(scan, 'status') === 'failure') {
    if (vulnerabilities.length === 0) throw new ReportError('The scan failed', 'scan.status');
    context.error('The scan failed');
  }
  return readList(GitlabVulnerability, vulnerabilities, 'vulnerabilities', context);
}

export const GitlabLocation = {
  /** Locations of dependency and container scanning. */
  package: z.object({
    ...fields(text, 'file', 'image', 'operating_system'),
    kubernetes_resource: anything,
    dependency: object({
      package: object({ name: text }),
      version: text,
      direct: z.boolean().optional().catch(undefined),
    }),
  }),
  /** Locations of static analysis and secret detection. */
  code: z.object({
    ...fields(text, 'file', 'class', 'method'),
    start_line: number,
    end_line: number,
    commit: object({ sha: text }),
  }),
};

/** The id that names a vulnerability best: a CVE, or the first one. */
export const gitlabId = ({ identifiers, cve, id }: GitlabVulnerability): string =>
  identifiers.find(({ type }) => type?.toLowerCase() === 'cve')?.value ??
  identifiers.find(({ type }) => !/^(?:cwe|owasp)$/i.test(type ?? ''))?.value ??
  cve ??
  id ??
  'unnamed';

/** The CWEs of a vulnerability. */
export const gitlabCwes = ({ identifiers }: GitlabVulnerability): string[] =>
  identifiers.filter(({ type }) => type?.toLowerCase() === 'cwe').map(({ value }) => value);

/** The severity of a vulnerability. GitLab calls it unknown if the scanner rates nothing. */
export const gitlabSeverity = ({ severity }: GitlabVulnerability, score?: number): Rating =>
  severityOf(severity, severityOfScore(score));

export const flagsOf = ({ flags }: GitlabVulnerability): string => flags.map(({ type }) => type).join(', ');

const Scanner = object({ name: text, version: text });

/** The vulnerabilities, also those that a rule of GitLab calls a likely false positive, and the scanner that found them. */
export function scannedVulnerabilities(report: Report, kinds: readonly string[], context: ImportContext) {
  const found = gitlabVulnerabilities(report, kinds, context);
  const document = documentOf(report);
  const { name, version } = read(Scanner, property(document, 'scan', 'scanner')) ?? {};
  return { found, scanner: name ? joined([name, version], ' ') : undefined };
}

/** The rule that found a vulnerability: its first identifier. */
export function ruleOf({ identifiers, name, message }: GitlabVulnerability): [type: string, value: string] {
  const [first] = identifiers;
  return first ? [first.type ?? '', first.value] : ['name', name ?? message ?? ''];
}

/** The CWE of a vulnerability, which some scanners write to the name of the identifier. */
export function cweOfVulnerability({ identifiers }: GitlabVulnerability): string | undefined {
  const cwes = identifiers.filter(({ type }) => type?.toLowerCase() === 'cwe');
  return cweOf(...cwes.flatMap(({ name, value }) => [value, name]));
}

export const linksOf = ({ links, identifiers }: GitlabVulnerability): (string | undefined)[] => [
  ...links.map(({ url }) => url),
  ...identifiers.map(({ url }) => url),
];
