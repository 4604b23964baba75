import { firstOf, imageName, upgrade, vulnerabilityTitle, withoutVersion } from '../../dependency.ts';
import { type ImportContext, type Importer, read } from '../../importer.ts';
import { describeFinding, inlineCode, markdown, placeOf, plain } from '../../markdown.ts';
import { withoutCredentials } from '../../secrets.ts';
import {
  cveOf,
  cvssOf,
  cweOf,
  fingerprintOf,
  normalized,
  relativePath,
  severityOf,
  severityOfScore,
} from '../../support.ts';
import {
  Document,
  type License,
  type Misconfiguration,
  type Result,
  type Secret,
  type Vulnerability,
} from './schema.ts';

/** Where a result is: to be read, and what of it stays the same from run to run. */
interface Place {
  /** What was scanned, without what changes with every build. */
  artifact: string;
  target: string | undefined;
  /** A path; undefined when the target is a kind of package or an image. */
  file: string | undefined;
}

/** `trivy image|fs|repo|config … --format json` */
export const trivy: Importer = {
  name: 'trivy',

  detects: (report) => {
    const document = firstOf(report);
    return (
      typeof document?.SchemaVersion === 'number' && ('Results' in document || 'ArtifactName' in document)
    );
  },

  findings(report, context) {
    const { ArtifactName, ArtifactType, Results } = read(Document, firstOf(report));
    return (Results ?? []).flatMap((result) => {
      const isImage = ArtifactType === 'container_image';
      const artifact = isImage
        ? imageName(ArtifactName || (result.Class === 'os-pkgs' && result.Target) || '')
        : (relativePath(ArtifactName, context) ?? '');
      const isFile = result.Class !== 'os-pkgs' && !KINDS.has(result.Type ?? '');
      const place = {
        artifact,
        target: result.Target ?? undefined,
        file: isFile ? relativePath(result.Target, context) : undefined,
      };
      return [
        ...(result.Vulnerabilities ?? []).map((found) => vulnerability(found, result, place, context)),
        ...(result.Misconfigurations ?? [])
          .filter(({ Status }) => !Status || Status === 'FAIL')
          .map((found) => misconfiguration(found, result, place)),
        ...(result.Secrets ?? []).map((found) => secret(found, place)),
        ...(result.Licenses ?? []).map((found) => license(found, place, context)),
      ];
    });
  },
};

/** Types of results that stand for all packages of a kind, wherever they are. */
const KINDS = new Set(['python-pkg', 'conda-pkg', 'gemspec', 'node-pkg', 'jar', 'kubernetes']);

function vulnerability(found: Vulnerability, result: Result, place: Place, context: ImportContext) {
  const { VulnerabilityID: id, PkgName: name, InstalledVersion: version, Description: details } = found;
  const file = relativePath(found.PkgPath, context) ?? place.file;
  const cvss = cvssIn(found);
  return {
    // Without the version: after an upgrade that does not help it is the same finding.
    fingerprint: fingerprintOf(
      'trivy',
      place.artifact,
      result.Class === 'os-pkgs' ? undefined : withoutVersion(file ?? place.target, version),
      result.Type,
      name,
      id,
    ),
    title: vulnerabilityTitle(id, name, version, found.Title ?? details),
    severity: severityOf(
      found.Severity === 'UNKNOWN' ? undefined : found.Severity,
      cvss ? severityOfScore(cvss.score) : 'info',
    ),
    description: describeFinding({
      // Most descriptions are text; those from GitHub are Markdown, and look like it.
      what: details && (/^GHSA-/.test(id) || GITHUB.test(details) ? markdown(details) : plain(details)),
      facts: {
        Package: name,
        'Installed version': version,
        'Fixed version': found.FixedVersion,
        Status: found.Status?.replaceAll('_', ' '),
        Target: place.target,
        Path: found.PkgPath,
      },
      fix: upgrade(name, found.FixedVersion?.split(', ')),
      references: [found.PrimaryURL, ...(found.References ?? [])],
    }),
    cwe: cweOf(...(found.CweIDs ?? [])),
    cve: cveOf(id),
    cvss_score: cvss?.score,
    cvss_vector: cvss?.vector,
    file,
  };
}

const GITHUB = /^#{2,4} (?:Impact|Summary|Description|Details|Overview|Patches)\b/im;

/** The newest CVSS of whoever gave the severity, or else of the most trusted. */
function cvssIn({ CVSS, SeveritySource }: Vulnerability) {
  const sources = [SeveritySource ?? '', 'nvd', 'ghsa', 'redhat', ...Object.keys(CVSS ?? {}).sort()];
  for (const source of sources) {
    const cvss = CVSS && Object.hasOwn(CVSS, source) ? CVSS[source] : undefined;
    const found = cvssOf(cvss?.V40Vector) ?? cvssOf(cvss?.V3Vector) ?? cvssOf(cvss?.V2Vector);
    if (found) return found;
  }
  return undefined;
}

function misconfiguration(found: Misconfiguration, result: Result, { artifact, target, file }: Place) {
  const id = found.ID ?? found.AVDID ?? 'Misconfiguration';
  const { Resource, Provider, Service, StartLine, Code } = found.CauseMetadata ?? {};
  const message = withoutCredentials(found.Message ?? '');
  return {
    // Not by its source, which changes with every other check that is fixed there.
    fingerprint: fingerprintOf('trivy', artifact, target, result.Type, id, Resource, normalized(message)),
    title: [id, found.Title ?? message].filter(Boolean).join(': '),
    severity: severityOf(found.Severity),
    description: describeFinding({
      what: [message, found.Description]
        .filter(Boolean)
        .map((part) => plain(part ?? ''))
        .join('\n\n'),
      facts: {
        Check: [id, found.AVDID !== id && found.AVDID].filter(Boolean).join(' '),
        Location: placeOf(target, StartLine),
        Resource,
        Service: [Provider, Service].filter(Boolean).join(' '),
      },
      snippet: withoutCredentials((Code?.Lines ?? []).map(({ Content }) => Content ?? '').join('\n')),
      fix: found.Resolution && plain(found.Resolution),
      references: [found.PrimaryURL, ...(found.References ?? [])],
    }),
    file,
    line: StartLine ?? undefined,
  };
}

function secret(found: Secret, { artifact, target, file }: Place) {
  // Trivy has masked it already; its other lines of source may hold what no rule knows, and are left out.
  const match = withoutCredentials(found.Match ?? '').replace(/\*{2,}/g, '*'.repeat(8));
  const { RuleID: rule, Title: title, StartLine: line } = found;
  return {
    fingerprint: fingerprintOf('trivy', artifact, target, rule, normalized(match)),
    title: `Secret (${title ?? rule})${target ? ` in ${target}` : ''}`,
    severity: severityOf(found.Severity, 'high'),
    description: describeFinding({
      what: `A secret was found: ${plain(title ?? rule)}.`,
      facts: { Rule: rule, Category: found.Category, Location: placeOf(target, line) },
      snippet: match,
      fix: 'Revoke the secret and issue a new one: it stays readable in the history of the repository and in the layers of the image. Then take it out.',
    }),
    cwe: 'CWE-798',
    file,
    line: line ?? undefined,
  };
}

function license(found: License, { artifact, target, file }: Place, context: ImportContext) {
  const { Name: name, PkgName, FilePath, Category, Confidence } = found;
  const where = PkgName || FilePath;
  return {
    fingerprint: fingerprintOf('trivy', 'license', artifact, target, PkgName, FilePath, name),
    title: `License ${name}${Category ? ` (${Category})` : ''}${where ? ` of ${where}` : ''}`,
    severity: severityOf(found.Severity),
    description: describeFinding({
      what: `${where ? inlineCode(where) : 'What was scanned'} is under the license ${inlineCode(name)}.`,
      facts: {
        Category,
        Package: PkgName,
        File: FilePath,
        Target: target,
        Confidence: Confidence,
      },
      references: [found.Link],
    }),
    file: relativePath(FilePath, context) ?? file,
  };
}
