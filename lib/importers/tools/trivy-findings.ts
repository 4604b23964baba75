import { fingerprintOf, identifyCode } from '../identity/identity.ts';
import type { ImportContext, Result } from '../importer.ts';
import { upgrade, vulnerabilityTitle, withoutVersion } from '../kinds/dependency.ts';
import {
  collapseWhitespace,
  cveOf,
  cvssOf,
  cweOf,
  LEVELS,
  mostSevere,
  severityOf,
  severityOfScore,
} from '../support.ts';
import { maskCredentials } from '../text/credentials.ts';
import {
  describeFinding,
  escapeMarkdown,
  formatLocation,
  inlineCode,
  joined,
  sanitizeMarkdown,
} from '../text/markdown.ts';
import type { Place } from './trivy-places.ts';
import type { License, Misconfiguration, Secret, Section, Vulnerability } from './trivy-schema.ts';

/** A vulnerability of a package. */
export function vulnerability(found: Vulnerability, section: Section, place: Place): Result {
  const { VulnerabilityID: id, PkgName: name, InstalledVersion: version, Description: details } = found;
  const file = place.fileOf(found.PkgPath) ?? place.file;
  const cvss = bestCvss(found);
  // Without the version, so that an upgrade that does not fix the vulnerability keeps the finding.
  const pathOf = (path: string | undefined) => (place.isOs ? undefined : withoutVersion(path, version));
  const problem = [section.Type, name, id];
  return {
    entries: [...place.entries, section, found],
    repeats: true,
    identify: (path) =>
      fingerprintOf('trivy', place.artifact(path), pathOf(path ?? place.targetId), ...problem),
    ...former(place, file, ([artifact, path]) => fingerprintOf('trivy', artifact, pathOf(path), ...problem)),
    title: vulnerabilityTitle(id, name, version, found.Title ?? details),
    rule_id: id,
    severity: severityOf(found.Severity, severityOfScore(cvss?.score) ?? vendorSeverity(found)),
    description: describeFinding({
      // Descriptions from GitHub are Markdown, most others are plain text.
      what:
        details &&
        (/^GHSA-/.test(id) || GITHUB_HEADING.test(details)
          ? sanitizeMarkdown(details)
          : escapeMarkdown(details)),
      facts: {
        Package: name,
        'Installed version': version,
        'Fixed version': found.FixedVersion,
        Status: found.Status?.replaceAll('_', ' '),
        Target: place.target,
        Path: found.PkgPath,
      },
      fix: upgrade(name, found.FixedVersion?.split(', ')),
      references: [found.PrimaryURL, ...found.References],
    }),
    cwe: cweOf(...found.CweIDs),
    cve: cveOf(id),
    cvss_score: cvss?.score,
    cvss_vector: cvss?.vector,
    file,
  };
}

/**
 * The identity of earlier releases. If a directory was scanned and the result has no file, it is the same for two packages of a
 * repository.
 */
const former = (
  place: Place,
  file: string | undefined,
  identify: (parts: [artifact: string, path: string | undefined]) => string,
): Pick<Result, 'identifyFormerly' | 'identifyVaguely'> => {
  const { formerly: partsOf } = place;
  if (!partsOf) return {};
  const formerly = (path: string | undefined) => identify(partsOf(path));
  return file === undefined && place.isLocal ? { identifyVaguely: formerly } : { identifyFormerly: formerly };
};

const GITHUB_HEADING = /^#{2,4} (?:Impact|Summary|Description|Details|Overview|Patches)\b/im;

/** The newest CVSS of the source of the severity, otherwise of the most trusted source. */
function bestCvss({ CVSS, SeveritySource }: Vulnerability) {
  const sources = [SeveritySource ?? '', 'nvd', 'ghsa', 'redhat', ...Object.keys(CVSS ?? {}).sort()];
  for (const source of sources) {
    const cvss = CVSS && Object.hasOwn(CVSS, source) ? CVSS[source] : undefined;
    const result = cvssOf(cvss?.V40Vector) ?? cvssOf(cvss?.V3Vector) ?? cvssOf(cvss?.V2Vector);
    if (result) return result;
  }
  return undefined;
}

/** The highest rating of the sources, from 1 to 4. */
const vendorSeverity = ({ VendorSeverity }: Vulnerability) =>
  mostSevere(
    Object.values(VendorSeverity ?? {}).flatMap((level) => (level ? (LEVELS[Number(level)] ?? []) : [])),
  );

/** A failed check of a setting. */
export function misconfiguration(found: Misconfiguration, section: Section, place: Place): Result {
  const id = found.ID ?? found.AVDID ?? 'Misconfiguration';
  const { Resource, Provider, Service, StartLine, Code } = found.CauseMetadata ?? {};
  const message = maskCredentials(found.Message ?? '');
  const { file, target } = place;
  // Without the source code, which changes when another finding in it is fixed.
  const problem = [section.Type, id, Resource, collapseWhitespace(message)];
  return {
    entries: [...place.entries, section, found],
    identify: (path) => fingerprintOf('trivy', place.artifact(path), path ?? place.targetId, ...problem),
    ...former(place, file, ([artifact, path]) => fingerprintOf('trivy', artifact, path, ...problem)),
    title: joined([id, found.Title ?? message], ': '),
    rule_id: id,
    severity: severityOf(found.Severity),
    description: describeFinding({
      what: [message, found.Description]
        .filter(Boolean)
        .map((part) => escapeMarkdown(part ?? ''))
        .join('\n\n'),
      facts: {
        Check: joined([id, found.AVDID !== id && found.AVDID], ' '),
        Location: formatLocation(target, StartLine),
        Resource,
        Service: joined([Provider, Service], ' '),
      },
      snippet: maskCredentials((Code?.Lines ?? []).map(({ Content }) => Content ?? '').join('\n')),
      fix: found.Resolution && escapeMarkdown(found.Resolution),
      references: [found.PrimaryURL, ...found.References],
    }),
    file,
    line: StartLine,
  };
}

/** An exposed secret. */
export function secret(found: Secret, section: Section, place: Place, context: ImportContext): Result {
  // Trivy has masked the secret. Its other lines are omitted, because they may contain unrecognized secrets.
  const match = maskCredentials(found.Match ?? '').replace(/\*{2,}/g, '*'.repeat(8));
  const { RuleID: rule, Title: title, StartLine: line } = found;
  const { file, target } = place;
  const identity = [rule, collapseWhitespace(match)];
  return {
    entries: [...place.entries, section, found],
    // All secrets of a rule may have the same masked text. Files in images cannot be read.
    identify: place.isLocal
      ? identifyCode('trivy', ['secret', rule], { file, line, endLine: found.EndLine }, context)
      : (path) =>
          fingerprintOf('trivy', 'secret', place.artifact(path), path ?? place.targetId, ...identity, line),
    identifyVaguely: (path) => fingerprintOf('trivy', ...(place.formerly?.(path) ?? []), ...identity),
    title: `Secret (${title ?? rule})${target ? ` in ${target}` : ''}`,
    rule_id: rule,
    severity: severityOf(found.Severity, 'high'),
    description: describeFinding({
      what: `A secret was found: ${escapeMarkdown(title ?? rule)}.`,
      facts: { Rule: rule, Category: found.Category, Location: formatLocation(target, line) },
      snippet: match,
      fix: 'Revoke the secret and issue a new one, because the history of the repository and the layers of the image keep it. Then remove it.',
    }),
    cwe: 'CWE-798',
    file,
    line,
  };
}

/** A license that is forbidden, restricted or unknown. */
export function license(found: License, section: Section, place: Place): Result {
  const { Name: name, PkgName, FilePath, Category, Confidence } = found;
  const where = PkgName || FilePath;
  const { target } = place;
  const problem = [PkgName, FilePath, name];
  return {
    entries: [...place.entries, section, found],
    repeats: true,
    identify: () => fingerprintOf('trivy', 'license', place.artifact(undefined), place.targetId, ...problem),
    identifyVaguely: () =>
      fingerprintOf('trivy', 'license', place.formerly?.(undefined)[0], target, ...problem),
    title: `License ${name}${Category ? ` (${Category})` : ''}${where ? ` of ${where}` : ''}`,
    rule_id: name,
    severity: severityOf(found.Severity),
    description: describeFinding({
      what: `${where ? inlineCode(where) : 'The scanned target'} is under the license ${inlineCode(name)}.`,
      facts: {
        Category,
        Package: PkgName,
        File: FilePath,
        Target: target,
        Confidence: Confidence,
      },
      references: [found.Link],
    }),
    file: place.fileOf(FilePath) ?? place.file,
  };
}
