import { fingerprintOf } from '../identity/identity.ts';
import type { ImportContext, Result } from '../importer.ts';
import type { CodeFinding } from '../kinds/code.ts';
import { upgrade, vulnerabilityTitle } from '../kinds/dependency.ts';
import { cveOf, cweOf, relativePath, severityOf } from '../support.ts';
import { describeFinding, escapeMarkdown } from '../text/markdown.ts';

export interface InfrastructureResult {
  entries: readonly unknown[];
  query: string;
  category?: string | undefined;
  platform?: string | undefined;
  similarityId?: string | undefined;
  severity?: string | undefined;
  status?: string | undefined;
  state?: string | undefined;
  description?: string | undefined;
  cwe?: string | undefined;
  file?: string | undefined;
  line?: number | undefined;
  code?: string | undefined;
  expected?: string | undefined;
  actual?: string | undefined;
  issueType?: string | undefined;
  link?: string | undefined;
}

/** A finding in infrastructure code, or of another scanner that names a file. */
export function infrastructureFinding(result: InfrastructureResult, context: ImportContext): CodeFinding {
  const { query, similarityId } = result;
  const name = query.replaceAll('_', ' ');
  const file = relativePath(result.file, context);
  return {
    entries: result.entries,
    title: name,
    rule_id: query,
    severity: severityOf(result.severity),
    // The similarity id of infrastructure does not contain the file.
    identity: [query, similarityId],
    identify: similarityId
      ? (path) => fingerprintOf('checkmarx-one', query, similarityId, path, result.actual)
      : undefined,
    rule: [query, name],
    file,
    line: result.line,
    code: result.code,
    describe: {
      what: escapeMarkdown(result.description ?? name),
      facts: {
        Query: query,
        Category: result.category?.replace(/ \[Taken from \w+\]$/, ''),
        Platform: result.platform,
        'Issue type': result.issueType,
        Found: result.actual,
        State: result.state,
        Status: result.status,
      },
      fix: escapeMarkdown(result.expected ?? ''),
      references: [result.link],
    },
    cwe: cweOf(result.cwe),
  };
}

export interface PackageVulnerability {
  entries: readonly unknown[];
  id?: string | undefined;
  /** `Npm-bluebird-3.7.2` */
  identifier?: string | undefined;
  name?: string | undefined;
  version?: string | undefined;
  image?: string | undefined;
  file?: string | undefined;
  severity?: string | undefined;
  state?: string | undefined;
  status?: string | undefined;
  description?: string | undefined;
  cwe?: string | undefined;
  score?: number | undefined;
  fixed?: string | undefined;
  recommendation?: string | undefined;
  references?: readonly (string | undefined)[];
}

/** A vulnerability of a package. It stays the same when the version of the package changes. */
export function packageResult(vulnerability: PackageVulnerability, context: ImportContext): Result {
  const { id = 'Vulnerability', description, score } = vulnerability;
  const { name, version, manager } = packageOf(vulnerability);
  const file = relativePath(vulnerability.file, context);
  return {
    entries: vulnerability.entries,
    identify: (path) =>
      fingerprintOf('checkmarx-one', 'package', manager, name, id, path, vulnerability.image),
    repeats: true,
    title: vulnerabilityTitle(id, name, version, description),
    rule_id: id,
    severity: severityOf(vulnerability.severity),
    description: describeFinding({
      what: escapeMarkdown(description ?? id),
      facts: {
        Package: name,
        Version: version,
        'Package manager': manager,
        Image: vulnerability.image,
        State: vulnerability.state,
        Status: vulnerability.status,
      },
      fix: escapeMarkdown(vulnerability.recommendation ?? '') || upgrade(name, [vulnerability.fixed]),
      references: vulnerability.references ?? [],
    }),
    cwe: cweOf(vulnerability.cwe),
    cve: cveOf(id),
    // The API returns 3.700000047683716.
    cvss_score: score ? Math.round(score * 10) / 10 : undefined,
    file,
  };
}

function packageOf({ identifier, name, version }: PackageVulnerability) {
  if (!identifier) return { name, version };
  const [, manager, found, rest] = /^([A-Za-z]+)-(.{1,300}?)-(v?\d[^/]{0,300})$/.exec(identifier) ?? [];
  return { manager, name: name ?? found ?? identifier, version: version ?? rest };
}
