import {
  firstDocument,
  imageName,
  upgrade,
  vulnerabilityTitle,
  withoutVersion,
} from '../../../dependency.ts';
import { fingerprintOf } from '../../../identity.ts';
import { type ImportContext, type Importer, read } from '../../../importer.ts';
import {
  describeFinding,
  escapeMarkdown,
  formatLocation,
  inlineCode,
  sanitizeMarkdown,
} from '../../../markdown.ts';
import { maskCredentials } from '../../../secrets.ts';
import {
  collapseWhitespace,
  cveOf,
  cvssOf,
  cweOf,
  relativePath,
  severityOf,
  severityOfScore,
} from '../../../support.ts';
import {
  Document,
  type License,
  type Misconfiguration,
  type Result,
  type Secret,
  type Vulnerability,
} from './schema.ts';

/** The target of a result, for display and for the fingerprint. */
interface ResultTarget {
  /** The scanned artifact, without the parts that change with every build. */
  artifact: string;
  target: string | undefined;
  /** The path of the target; undefined if the target is a kind of package or an image. */
  file: string | undefined;
}

/** `trivy image|fs|repo|config … --format json`. */
export const trivy: Importer = {
  name: 'trivy',
  about: {
    tool: '[Trivy](https://trivy.dev)',
    command: '`trivy fs --format json -o report.json .`',
    versions: '0.20 to 0.67',
    identity: 'target, package or rule, advisory',
    severity: '`Severity`',
  },

  detects: (report) => {
    const document = firstDocument(report);
    return (
      typeof document?.SchemaVersion === 'number' && ('Results' in document || 'ArtifactName' in document)
    );
  },

  results(report, context) {
    const { ArtifactName, ArtifactType, Results } = read(Document, firstDocument(report));
    return (Results ?? []).flatMap((result) => {
      const isImage = ArtifactType === 'container_image';
      const artifact = isImage
        ? imageName(ArtifactName || (result.Class === 'os-pkgs' && result.Target) || '')
        : (relativePath(ArtifactName, context) ?? '');
      const isFile = result.Class !== 'os-pkgs' && !PACKAGE_KINDS.has(result.Type ?? '');
      const resultTarget = {
        artifact,
        target: result.Target ?? undefined,
        file: isFile ? relativePath(result.Target, context) : undefined,
      };
      return [
        ...(result.Vulnerabilities ?? []).map((found) => vulnerability(found, result, resultTarget, context)),
        ...(result.Misconfigurations ?? [])
          .filter(({ Status }) => !Status || Status === 'FAIL')
          .map((found) => misconfiguration(found, result, resultTarget)),
        ...(result.Secrets ?? []).map((found) => secret(found, resultTarget)),
        ...(result.Licenses ?? []).map((found) => license(found, resultTarget, context)),
      ];
    });
  },
};

/** Result types that group all packages of a kind, regardless of their location. */
const PACKAGE_KINDS = new Set(['python-pkg', 'conda-pkg', 'gemspec', 'node-pkg', 'jar', 'kubernetes']);

function vulnerability(
  found: Vulnerability,
  result: Result,
  resultTarget: ResultTarget,
  context: ImportContext,
) {
  const { VulnerabilityID: id, PkgName: name, InstalledVersion: version, Description: details } = found;
  const file = relativePath(found.PkgPath, context) ?? resultTarget.file;
  const cvss = bestCvss(found);
  return {
    // Without the version, so that an upgrade that does not fix the vulnerability keeps the finding.
    identify: () =>
      fingerprintOf(
        'trivy',
        resultTarget.artifact,
        result.Class === 'os-pkgs' ? undefined : withoutVersion(file ?? resultTarget.target, version),
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
        Target: resultTarget.target,
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

function misconfiguration(found: Misconfiguration, result: Result, { artifact, target, file }: ResultTarget) {
  const id = found.ID ?? found.AVDID ?? 'Misconfiguration';
  const { Resource, Provider, Service, StartLine, Code } = found.CauseMetadata ?? {};
  const message = maskCredentials(found.Message ?? '');
  return {
    // Without the source code, which changes when another finding in it is fixed.
    identify: () =>
      fingerprintOf('trivy', artifact, target, result.Type, id, Resource, collapseWhitespace(message)),
    title: [id, found.Title ?? message].filter(Boolean).join(': '),
    severity: severityOf(found.Severity),
    description: describeFinding({
      what: [message, found.Description]
        .filter(Boolean)
        .map((part) => escapeMarkdown(part ?? ''))
        .join('\n\n'),
      facts: {
        Check: [id, found.AVDID !== id && found.AVDID].filter(Boolean).join(' '),
        Location: formatLocation(target, StartLine),
        Resource,
        Service: [Provider, Service].filter(Boolean).join(' '),
      },
      snippet: maskCredentials((Code?.Lines ?? []).map(({ Content }) => Content ?? '').join('\n')),
      fix: found.Resolution && escapeMarkdown(found.Resolution),
      references: [found.PrimaryURL, ...(found.References ?? [])],
    }),
    file,
    line: StartLine ?? undefined,
  };
}

function secret(found: Secret, { artifact, target, file }: ResultTarget) {
  // Trivy has masked the secret. Its other lines are omitted, because they may contain unrecognized secrets.
  const match = maskCredentials(found.Match ?? '').replace(/\*{2,}/g, '*'.repeat(8));
  const { RuleID: rule, Title: title, StartLine: line } = found;
  return {
    repeats: true,
    identify: () => fingerprintOf('trivy', artifact, target, rule, collapseWhitespace(match)),
    title: `Secret (${title ?? rule})${target ? ` in ${target}` : ''}`,
    severity: severityOf(found.Severity, 'high'),
    description: describeFinding({
      what: `A secret was found: ${escapeMarkdown(title ?? rule)}.`,
      facts: { Rule: rule, Category: found.Category, Location: formatLocation(target, line) },
      snippet: match,
      fix: 'Revoke the secret and issue a new one, because the history of the repository and the layers of the image keep it. Then remove it.',
    }),
    cwe: 'CWE-798',
    file,
    line: line ?? undefined,
  };
}

function license(found: License, { artifact, target, file }: ResultTarget, context: ImportContext) {
  const { Name: name, PkgName, FilePath, Category, Confidence } = found;
  const where = PkgName || FilePath;
  return {
    repeats: true,
    identify: () => fingerprintOf('trivy', 'license', artifact, target, PkgName, FilePath, name),
    title: `License ${name}${Category ? ` (${Category})` : ''}${where ? ` of ${where}` : ''}`,
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
    file: relativePath(FilePath, context) ?? file,
  };
}
