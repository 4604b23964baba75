import type { Rating } from '../finding.ts';
import { fingerprintOf } from '../identity/identity.ts';
import { type Report, ReportError, type Result } from '../importer.ts';
import { cveOf, cvssOf, cweOf, severityOf, severityOfScore } from '../support.ts';
import { maskCredentials } from '../text/credentials.ts';
import {
  codeBlock,
  describeFinding,
  escapeMarkdown,
  formatLocation,
  joined,
  sanitizeMarkdown,
} from '../text/markdown.ts';
import { upgrade, vulnerabilityTitle, withoutVersion } from './dependency.ts';

/* Results about infrastructure: failed checks of resources, and vulnerable packages in images and on hosts. */

type Text = string | undefined | null;
type Facts = Record<string, string | number | undefined | null>;

export interface FailedCheck {
  /** The name of the importer. */
  tool: string;
  /** The entries of the report ({@link Result.entries}). */
  entries: readonly unknown[];
  /** The id of the check, and its title. */
  id: string;
  name?: Text;
  /** Identifies the check, if its id depends on the version of the tool. */
  identityId?: string;
  /** The account, region, namespace, kind, name or ARN: as shown, and what identifies it (default: as shown). */
  resource?: Text;
  resourceIdentity?: readonly Text[];
  severity: Rating;
  /** Evidence found on this resource. Credentials in it are masked. */
  message?: Text;
  /** The subject of the check. Plain text, like the other texts. */
  about?: Text;
  risk?: Text;
  fix?: Text;
  /** Whether the texts above are Markdown. */
  markdown?: boolean;
  /** Commands or settings that fix it. */
  code?: Text;
  facts?: Facts;
  snippet?: Text;
  references?: readonly Text[];
  cwe?: Text;
  file?: string | undefined;
  line?: number | undefined;
}

/** A check that a resource failed. The check, the resource and the file identify it, not the message: that names counts and dates. */
export function failedCheck(check: FailedCheck): Result {
  const { tool, id, name, resource, severity, message, about, risk, fix, snippet, references } = check;
  const { code, markdown, facts, cwe, file, line, resourceIdentity = [resource] } = check;
  const { identityId = id } = check;
  const title = distinct(id, name).join(': ');
  const format = markdown ? sanitizeMarkdown : escapeMarkdown;
  const found = maskCredentials(message ?? '').trim();
  return {
    entries: check.entries,
    identify: (path) => fingerprintOf(tool, 'check', identityId, path, ...resourceIdentity),
    title: resource && !file ? `${title} (${resource})` : title,
    severity,
    rule_id: id || (name ?? undefined),
    description: describeFinding({
      what:
        joined([escapeMarkdown(found), ...distinct(about, risk).map(format)], '\n\n') ||
        escapeMarkdown(title),
      facts: {
        Check: distinct(id, name).join(' '),
        Resource: resource,
        Location: formatLocation(file, line),
        ...facts,
      },
      snippet: maskCredentials(snippet ?? ''),
      fix: joined([fix?.trim() && format(fix), code?.trim() && codeBlock(code.trim())], '\n\n'),
      references,
    }),
    cwe: cweOf(cwe),
    file,
    line,
  };
}

export interface VulnerablePackage {
  /** The name of the importer. */
  tool: string;
  /** The entries of the report ({@link Result.entries}). */
  entries: readonly unknown[];
  /** The id of the vulnerability: `CVE-2026-12345`, `ALAS-2026-1`. */
  id: string;
  /** The package, and its installed version. */
  name?: Text;
  version?: Text;
  /** The versions that fix the vulnerability. */
  fixed?: readonly Text[];
  /** The artifact that contains the package, such as an image without its tag ({@link imageName}): as shown, and its identity. */
  artifact?: Text;
  artifactIdentity?: readonly Text[];
  /** The path of the package in the artifact. */
  path?: Text;
  /** The rating of the tool. Without one the CVSS score rates it. */
  severity?: Text;
  summary?: Text;
  /** Plain text. */
  details?: Text;
  fix?: Text;
  facts?: Facts;
  references?: readonly Text[];
  /** CVSS vectors, best first. */
  vectors?: readonly Text[];
  score?: number | undefined;
  cwes?: readonly Text[];
  /** Where a CVE id may be, besides the id. */
  aliases?: readonly Text[];
  /** A file in the workspace. */
  file?: string | undefined;
}

/**
 * A vulnerable package. The artifact, the package, its path and the vulnerability identify it. The installed version does not:
 * an upgrade that does not fix the vulnerability keeps the finding.
 */
export function vulnerablePackage(found: VulnerablePackage): Result {
  const { tool, id, name, version, fixed, artifact, path, summary, details, fix, facts, references } = found;
  const { severity, vectors = [], score, cwes = [], aliases = [], file } = found;
  const { artifactIdentity = [artifact] } = found;
  const cvss = vectors.map(cvssOf).find(Boolean);
  const rated = score || cvss?.score;
  return {
    entries: found.entries,
    repeats: true,
    identify: (current) =>
      fingerprintOf(
        tool,
        'package',
        id,
        name,
        withoutVersion(path ?? undefined, version),
        current && withoutVersion(current, version),
        ...artifactIdentity,
      ),
    title: vulnerabilityTitle(id, name, version, summary ?? details),
    severity: severityOf(/^none$/i.test(severity ?? '') ? undefined : severity, severityOfScore(rated)),
    rule_id: id,
    description: describeFinding({
      what: distinct(summary, details).map(escapeMarkdown).join('\n\n'),
      facts: {
        Package: name,
        'Installed version': version,
        'Fixed version': distinct(...(fixed ?? [])).join(', '),
        Artifact: artifact,
        Path: path,
        ...facts,
      },
      fix: fix?.trim() ? escapeMarkdown(fix) : upgrade(name, fixed),
      references,
    }),
    cwe: cweOf(...cwes),
    cve: cveOf(id, ...aliases),
    cvss_score: rated,
    cvss_vector: cvss?.vector,
    file,
  };
}

/** The texts that are not empty, each once. */
export const distinct = (...texts: readonly Text[]): string[] => [
  ...new Set(texts.map((text) => text?.trim() ?? '').filter((text) => text !== '')),
];

/** `fixed in 1.2.3, 2.0`, `1.2.3 || 2.0` or `>=1.2`, as the versions. */
export const fixedVersions = (text: Text): string[] =>
  (text ?? '')
    .replace(/^.*?\bfixed in\b(?: the future)?:?/i, '')
    .split(/(?<!\s)\s*(?:,|;|\|\|?|\bor\b)\s*/)
    .map((version) => version.trim().replace(/^>=\s*/, ''))
    .filter((version) => /^[\w][\w.+:~^*-]*$/.test(version) && /\d/.test(version));

/** A place in a cluster: `default/Deployment/web`. */
export const kubernetesName = (...parts: readonly Text[]): string | undefined =>
  joined(
    parts.map((part) => part?.trim()),
    '/',
  ) || undefined;

/** The lists of a report that may consist of several documents. @throws ReportError if one of them has none */
export function listsOf(report: Report, find = (document: unknown) => document): unknown[] {
  const documents = report.kind === 'json' ? report.documents : [undefined];
  return documents.flatMap((document, index) => {
    const found = find(document);
    if (Array.isArray(found)) return found;
    throw new ReportError('expected a list', index > 0 ? `document ${index + 1}` : undefined);
  });
}
