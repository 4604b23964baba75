import type { Rating, Severity } from '../finding.ts';
import { fingerprintOf } from '../identity/identity.ts';
import type { ImportContext, Result } from '../importer.ts';
import type { CodeFinding } from '../kinds/code.ts';
import { upgrade, vulnerabilityTitle } from '../kinds/dependency.ts';
import { cveOf, cvssOf, cweOf, relativePath } from '../support.ts';
import { maskCredentials } from '../text/credentials.ts';
import { describeFinding, escapeMarkdown, inlineCode } from '../text/markdown.ts';

export interface PackageVulnerability {
  entries: readonly unknown[];
  id: string;
  title?: string | undefined;
  description?: string | undefined;
  severity: Rating;
  score?: number | undefined;
  vector?: string | undefined;
  cwe?: string | undefined;
  name?: string | undefined;
  version?: string | undefined;
  /** Where the package is used: a project, an application, or the directory of the file. */
  project?: string | undefined;
  paths?: readonly string[];
  fixed?: string | undefined;
  facts?: Record<string, string | number | undefined>;
  references?: readonly (string | undefined)[];
}

/** A vulnerability of a package. It stays the same when the version of the package changes. */
export function packageResult(tool: string, found: PackageVulnerability): Result {
  const { id, name, version, project, paths = [], title, description } = found;
  const cvss = cvssOf(found.vector);
  return {
    entries: found.entries,
    identify: () => fingerprintOf(tool, 'package', project, name, id),
    repeats: true,
    title: vulnerabilityTitle(id, name, version, title ?? description),
    rule_id: id,
    severity: found.severity,
    description: describeFinding({
      what: escapeMarkdown(description ?? title ?? id),
      facts: { Package: name, Version: version, ...found.facts },
      where: paths.map((path) => `- ${inlineCode(path)}`).join('\n'),
      fix: found.fixed ? upgrade(name, [found.fixed]) : undefined,
      references: found.references ?? [],
    }),
    cwe: cweOf(found.cwe),
    cve: cveOf(id),
    cvss_score: found.score ?? cvss?.score,
    cvss_vector: cvss?.vector,
  };
}

/** The severities 0 to 5. */
const SEVERITIES: readonly Severity[] = ['info', 'info', 'low', 'medium', 'high', 'critical'];

export const severityOfLevel = (level: number | undefined): Severity =>
  SEVERITIES[Math.round(level ?? Number.NaN)] ?? 'medium';

/** A flaw of static or dynamic analysis. */
export interface Flaw {
  entries: readonly unknown[];
  /** The application, in which the number of a flaw is unique. */
  application?: string | undefined;
  issue?: string | undefined;
  name: string;
  severity?: number | undefined;
  cwe?: string | number | undefined;
  /** Markdown. */
  what: string;
  fix?: string | undefined;
  directory?: string | undefined;
  file?: string | undefined;
  line?: number | undefined;
  url?: string | undefined;
  facts: Record<string, string | number | undefined>;
}

export function flawFinding(flaw: Flaw, context: ImportContext): CodeFinding {
  const { application, issue, name, url } = flaw;
  const path = flaw.directory && flaw.file ? `${flaw.directory.replace(/\/$/, '')}/${flaw.file}` : flaw.file;
  return {
    entries: flaw.entries,
    title: name,
    rule_id: name,
    severity: severityOfLevel(flaw.severity),
    identity: [application, name, url],
    identify: issue ? () => fingerprintOf('veracode', application, issue) : undefined,
    rule: [name],
    file: relativePath(path, context),
    line: flaw.line,
    describe: {
      what: flaw.what,
      facts: { ...flaw.facts, Flaw: issue },
      where: url ? `- ${inlineCode(maskCredentials(url))}` : undefined,
      fix: flaw.fix,
    },
    cwe: cweOf(flaw.cwe),
  };
}
