import { type ImportContext, type Report, read } from '../importer.ts';
import { type GitlabVulnerability, gitlabVulnerabilities } from '../kinds/gitlab.ts';
import { documentOf } from '../read/report.ts';
import { object, text } from '../read/schema.ts';
import { property } from '../read/values.ts';
import { cweOf } from '../support.ts';
import { joined } from '../text/markdown.ts';

const Scanner = object({ name: text, version: text });

/** The vulnerabilities that no rule of GitLab calls a likely false positive, and the scanner that found them. */
export function openVulnerabilities(report: Report, kinds: readonly string[], context: ImportContext) {
  const found = gitlabVulnerabilities(report, kinds, context);
  const open = found.filter(
    ({ flags }) => !flags.some(({ type }) => type === 'flagged-as-likely-false-positive'),
  );
  context.skip('they are flagged as likely false positives', found.length - open.length);
  const document = documentOf(report);
  const { name, version } = read(Scanner, property(document, 'scan', 'scanner')) ?? {};
  return { open, scanner: name ? joined([name, version], ' ') : undefined };
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
