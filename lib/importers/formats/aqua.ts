import { z } from 'zod';
import {
  type ImportContext,
  type Importer,
  type Report,
  ReportError,
  type Result,
  readAt,
  readList,
  skipped,
} from '../importer.ts';
import { imageName } from '../kinds/dependency.ts';
import { distinct, failedCheck, fixedVersions, vulnerablePackage } from '../kinds/resources.ts';
import { documentsOf, hasKind } from '../read/report.ts';
import {
  anything,
  fields,
  flag,
  number,
  object,
  objects,
  requiredText,
  text,
  texts,
} from '../read/schema.ts';
import { property } from '../read/values.ts';
import { firstRated } from '../support.ts';

const Vulnerability = z.object({
  name: requiredText,
  ...fields(text, 'description', 'file', 'severity', 'url', 'nvd_url', 'vendor_url', 'aqua_severity'),
  ...fields(text, 'aqua_vectors', 'nvd_severity', 'nvd_vectors', 'nvd_severity_v3', 'nvd_vectors_v3'),
  ...fields(text, 'nvd_cvss3_severity', 'nvd_cvss3_vectors', 'nvd_cvss2_vectors', 'vendor_severity_v3'),
  ...fields(text, 'vendor_severity', 'vendor_statement', 'fix_version', 'solution'),
  ...fields(number, 'score', 'aqua_score', 'nvd_score', 'nvd_score_v3', 'nvd_cvss3_score', 'nvd_cvss2_score'),
  acknowledged: flag,
  is_acknowledged: flag,
  cwe_info: objects({ Id: text, id: text }),
  resource: object({ name: text, version: text, path: text, format: text }),
});
const Resource = z.object({
  resource: object({ name: text, version: text, path: text, format: text, sensitive_items: texts }),
  ...fields(anything, 'vulnerabilities', 'sensitive_data_items', 'malware'),
});
const Malware = z.object({ malware: text, path: text });
const Sensitive = z.object({ type: text });

/** Aqua: `scannercli`, the API of the console (version 1 and 2), and the extension for Azure DevOps. */
export const aqua: Importer = {
  name: 'aqua',
  about: {
    tool: '[Aqua](https://www.aquasec.com) image scanner',
    command: '`scannercli scan <image> --jsonfile report.json`, or `/api/v2/risks/vulnerabilities`',
    versions: 'the report names no version: scanner reports of 2018 to 2024, API 1 and 2',
    identity: 'image, vulnerability, package, path',
    severity: '`aqua_severity`, NVD (CVSS 3), the vendor (CVSS 3), `severity`, NVD, the vendor, CVSS',
  },

  detects: (report) => {
    const [first] = scansOf(report);
    return isImage(first) || isLegacy(first) || isPage(first);
  },

  results(report, context) {
    const scans = scansOf(report);
    if (!scans.some((scan) => isImage(scan) || isLegacy(scan) || isPage(scan)))
      throw new ReportError('The report has neither resources nor vulnerabilities');
    return scans.flatMap((scan) => {
      if (isPage(scan)) {
        const image = text.parse(property(scan, 'query', 'image_name'));
        return vulnerabilities(property(scan, 'result'), 'result', image, [scan], context);
      }
      const image = distinct(
        text.parse(property(scan, 'registry')),
        text.parse(property(scan, 'image') ?? property(scan, 'image_name')),
      ).join('/');
      if (isLegacy(scan)) return vulnerabilities(property(scan, 'cves'), 'cves', image, [scan], context);
      return readAt(Resource, scan, 'resources', context).flatMap((found) => [
        ...vulnerabilities(
          found.vulnerabilities,
          'resources.vulnerabilities',
          image,
          [scan, found],
          context,
          found.resource,
        ),
        ...others(found, image, [scan, found], context),
      ]);
    });
  },
};

/** The extension for Azure DevOps writes a list of images with `results`. */
const scansOf = (report: Report): unknown[] =>
  documentsOf(report)
    .flat()
    .map((document) => (hasKind(document, { results: 'object' }) ? property(document, 'results') : document));

const isImage = (scan: unknown) =>
  hasKind(scan, { image: 'text', resources: 'list' }) ||
  hasKind(scan, { image: 'text', image_assurance_results: 'value' });
const isLegacy = (scan: unknown) => hasKind(scan, { image_name: 'value', cves_counts: 'value' });
const isPage = (scan: unknown) => hasKind(scan, { result: 'list', query: 'object', pagesize: 'value' });

function vulnerabilities(
  found: unknown,
  path: string,
  image: string | undefined,
  parents: readonly unknown[],
  context: ImportContext,
  owner?: z.output<typeof Resource>['resource'],
): Result[] {
  return readList(Vulnerability, found, path, context).flatMap((one) => {
    if (one.acknowledged === true || one.is_acknowledged === true) return skipped('acknowledged', context);
    const { name, version, path: location, format } = one.resource ?? owner ?? {};
    return vulnerablePackage({
      tool: 'aqua',
      entries: [...parents, one],
      id: one.name,
      name: name ?? one.file,
      version,
      fixed: fixedVersions(one.fix_version),
      artifact: image,
      artifactIdentity: [imageName(image ?? '')],
      path: location,
      severity: firstRated(
        one.aqua_severity,
        one.nvd_severity_v3,
        one.nvd_cvss3_severity,
        one.vendor_severity_v3,
        one.severity,
        one.nvd_severity,
        one.vendor_severity,
      ),
      details: one.description,
      fix: one.solution,
      vectors: [
        one.nvd_vectors_v3,
        one.nvd_cvss3_vectors,
        one.aqua_vectors,
        one.nvd_vectors,
        one.nvd_cvss2_vectors,
      ],
      score: [
        one.nvd_score_v3,
        one.nvd_cvss3_score,
        one.aqua_score,
        one.score,
        one.nvd_score,
        one.nvd_cvss2_score,
      ].find(Boolean),
      facts: { 'Package type': format, 'Vendor statement': one.vendor_statement },
      cwes: one.cwe_info.map(({ Id, id }) => Id ?? id),
      references: [one.url, one.nvd_url, one.vendor_url],
    });
  });
}

/** Files with secrets and malware. The report has the kinds of the secrets only. */
function others(
  found: z.output<typeof Resource>,
  image: string,
  parents: readonly unknown[],
  context: ImportContext,
): Result[] {
  const where = found.resource?.path ?? found.resource?.name;
  const identity = [imageName(image), where];
  const kinds = readList(Sensitive, found.sensitive_data_items, 'resources.sensitive_data_items', context);
  const secrets = distinct(...kinds.map(({ type }) => type), ...(found.resource?.sensitive_items ?? [])).join(
    ', ',
  );
  return [
    ...(secrets
      ? [
          failedCheck({
            tool: 'aqua',
            entries: [...parents, kinds],
            id: 'sensitive-data',
            name: `Sensitive data in ${where ?? 'the image'}: ${secrets}`,
            resource: image,
            resourceIdentity: [...identity, secrets],
            severity: 'high',
            cwe: 'CWE-798',
          }),
        ]
      : []),
    ...readList(Malware, found.malware, 'resources.malware', context).map((one) =>
      failedCheck({
        tool: 'aqua',
        entries: [...parents, one],
        id: 'malware',
        name: `Malware in ${one.path ?? where ?? 'the image'}: ${one.malware ?? 'unknown'}`,
        resource: image,
        resourceIdentity: [...identity, one.malware, one.path],
        severity: 'critical',
        cwe: 'CWE-506',
      }),
    ),
  ];
}
