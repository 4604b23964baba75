import { z } from 'zod';
import { type ImportContext, type Importer, ReportError, type Result, readList } from '../importer.ts';
import { imageName } from '../kinds/dependency.ts';
import { distinct, fixedVersions, vulnerablePackage } from '../kinds/resources.ts';
import { documentOf, hasKind } from '../read/report.ts';
import { fields, list, number, object, optional, requiredText, text } from '../read/schema.ts';
import { property } from '../read/values.ts';
import { nameIn } from '../scanned.ts';

const Score = z.object({ base_score: number, vector_string: text });
const Nvd = z.object({ id: text, cvss_v2: optional(Score), cvss_v3: optional(Score) });
/** Anchore Engine writes `package_name`, anchorectl `packageName`. */
const Vulnerability = z.object({
  vuln: requiredText,
  ...fields(text, 'severity', 'fix', 'url', 'description', 'feed_group', 'feedGroup', 'package'),
  ...fields(text, 'package_name', 'packageName', 'package_version', 'packageVersion', 'package_path'),
  ...fields(text, 'packagePath', 'package_type', 'packageType'),
  nvd_data: list(Nvd),
  nvdData: list(Nvd),
  extra: object({ description: text }),
});
/** The evaluation of Anchore Enterprise. */
const Evaluated = z.object({
  vulnerabilityId: requiredText,
  ...fields(text, 'cves', 'severity', 'packageType', 'package', 'path', 'fixAvailable', 'link'),
  nvdCvssBaseScore: number,
});

/** The vulnerabilities of an image: Anchore Engine, anchorectl, and Anchore Enterprise. Reports of Grype have another format. */
export const anchore: Importer = {
  name: 'anchore',
  about: {
    tool: '[Anchore](https://docs.anchore.com) Engine and Enterprise',
    command: '`anchorectl image vulnerabilities <image> -o json > report.json`',
    versions: 'Engine 2.4; other reports name no version: Engine, anchorectl, Enterprise of 2025',
    identity: 'image, vulnerability, package, path',
  },

  detects: (report) => {
    const document = documentOf(report);
    return (
      hasKind(document, { securityEvaluation: 'list' }) ||
      hasKind(document, { vulnerabilities: 'list', vulnerability_type: 'value' }) ||
      (Array.isArray(document) &&
        hasKind(document[0], { vuln: 'value' }) &&
        (property(document[0], 'packageName') ?? property(document[0], 'package_name')) !== undefined)
    );
  },

  category: (report) => imageName(nameIn(report, 'imageFullTag') ?? ''),

  results(report, context) {
    const document = documentOf(report);
    const evaluated = property(document, 'securityEvaluation');
    if (evaluated !== undefined) return evaluation(document, evaluated, context);
    const found = Array.isArray(document) ? document : property(document, 'vulnerabilities');
    if (!Array.isArray(found)) throw new ReportError('The report has no vulnerabilities', 'vulnerabilities');
    const tag = text.parse(property(document, 'imageFullTag'));
    return readList(Vulnerability, found, 'vulnerabilities', context).map((one) => resultOf(one, tag));
  },
};

/** Anchore writes the word `None` for a missing value. */
const value = (...candidates: (string | undefined)[]) => candidates.find((one) => one && one !== 'None');

function resultOf(found: z.output<typeof Vulnerability>, tag: string | undefined): Result {
  const name = value(found.package_name, found.packageName, found.package);
  const nvd = [...found.nvd_data, ...found.nvdData];
  return vulnerablePackage({
    tool: 'anchore',
    entries: [found],
    id: found.vuln,
    name,
    version: value(found.package_version, found.packageVersion),
    fixed: fixedVersions(value(found.fix)),
    artifact: tag,
    artifactIdentity: [tag && imageName(tag)],
    path: value(found.package_path, found.packagePath),
    severity: found.severity,
    details: found.description ?? found.extra?.description,
    vectors: nvd.flatMap(({ cvss_v3, cvss_v2 }) => [cvss_v3?.vector_string, cvss_v2?.vector_string]),
    score: nvd
      .map(({ cvss_v3, cvss_v2 }) => positive(cvss_v3?.base_score) ?? positive(cvss_v2?.base_score))
      .find(Boolean),
    facts: {
      'Package type': found.package_type ?? found.packageType,
      Feed: found.feed_group ?? found.feedGroup,
    },
    aliases: nvd.map(({ id }) => id),
    references: [found.url],
  });
}

/** Anchore writes -1 for a missing score. */
const positive = (score: number | undefined) => (score && score > 0 ? score : undefined);

function evaluation(document: unknown, found: unknown, context: ImportContext): Result[] {
  const metadata = property(document, 'metadata');
  const [registry, repository, tag] = ['registry', 'repository', 'tag'].map((name) =>
    text.parse(property(metadata, name)),
  );
  const image = distinct(registry, repository).join('/');
  return readList(Evaluated, found, 'securityEvaluation', context).map((one) =>
    vulnerablePackage({
      tool: 'anchore',
      entries: [one],
      id: one.vulnerabilityId,
      ...packageOf(one.package ?? ''),
      fixed: fixedVersions(value(one.fixAvailable)),
      artifact: image && `${image}:${tag ?? ''}`,
      artifactIdentity: [image],
      path: value(one.path),
      severity: one.severity,
      score: positive(one.nvdCvssBaseScore),
      facts: { 'Package type': one.packageType },
      aliases: [one.cves],
      references: [one.link],
    }),
  );
}

/** `tomcat-annotations-api-9.0.97` */
function packageOf(text: string): { name: string; version: string | undefined } {
  const [, name = text, version] = /^(.{1,300}?)-(\d[\w.+:~-]{0,300})$/.exec(text) ?? [];
  return { name, version };
}
