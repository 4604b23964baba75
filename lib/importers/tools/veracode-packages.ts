import type { Severity } from '../finding.ts';
import { fingerprintOf } from '../identity/identity.ts';
import type { Result } from '../importer.ts';
import { upgrade, vulnerabilityTitle } from '../kinds/dependency.ts';
import { cveOf, cvssOf, cweOf } from '../support.ts';
import { describeFinding, escapeMarkdown, inlineCode } from '../text/markdown.ts';

export interface PackageVulnerability {
  id: string;
  title?: string | undefined;
  description?: string | undefined;
  severity: Severity;
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
  const vector = found.vector && /^AV:.*\/PR:/.test(found.vector) ? `CVSS:3.1/${found.vector}` : found.vector;
  const cvss = cvssOf(vector);
  return {
    identify: () => fingerprintOf(tool, 'package', project, name, id),
    repeats: true,
    title: vulnerabilityTitle(id, name, version, title ?? description),
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
