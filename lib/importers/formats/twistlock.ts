import { z } from 'zod';
import {
  type ImportContext,
  type Importer,
  type Report,
  ReportError,
  type Result,
  readList,
} from '../importer.ts';
import { imageName } from '../kinds/dependency.ts';
import { distinct, failedCheck, fixedVersions, listsOf, vulnerablePackage } from '../kinds/resources.ts';
import { number, property, requiredText, text } from '../read/schema.ts';
import { severityOf } from '../support.ts';

const Vulnerability = z.object({
  id: requiredText,
  severity: text,
  cvss: number,
  vector: text,
  status: text,
  description: text,
  packageName: text,
  packageVersion: text,
  packagePath: text,
  link: text,
});
const Compliance = z.object({
  id: text,
  title: text,
  severity: text,
  cause: text,
  description: text,
  category: text,
});
const Scan = z.object({
  id: text,
  name: text,
  repository: text,
  vulnerabilities: z.unknown().optional(),
  compliances: z.unknown().optional(),
});

const Row = z.object({
  'CVE ID': text,
  'Compliance ID': text,
  Registry: text,
  Repository: text,
  Tag: text,
  Severity: text,
  Packages: text,
  'Source Package': text,
  'Package Version': text,
  'Package Path': text,
  CVSS: number,
  'Fix Status': text,
  Description: text,
  Cause: text,
  'Vulnerability Link': text,
});

/** Prisma Cloud Compute (Twistlock): the JSON of `twistcli`, and the CSV of images from the console. */
export const twistlock: Importer = {
  name: 'twistlock',
  about: {
    tool: '[Prisma Cloud Compute](https://docs.prismacloud.io) (Twistlock)',
    command:
      '`twistcli images scan --details --output-file report.json <image>`, or the CSV export of images',
    versions: 'the report names no version: twistcli JSON of 2025 and 2026, console CSV of 2020',
    identity: 'image, vulnerability and package, or compliance rule',
    severity: '`severity`, or CVSS',
  },

  detects: (report) => {
    if (report.kind === 'csv')
      return ['CVE ID', 'Compliance ID', 'Fix Status', 'Packages'].every((name) =>
        report.columns.includes(name),
      );
    const [first] = report.kind === 'json' ? [property(report.documents[0], 'results')].flat() : [];
    return (
      property(first, 'vulnerabilityDistribution') !== undefined ||
      property(first, 'complianceDistribution') !== undefined
    );
  },

  results: (report, context) =>
    report.kind === 'csv' ? csvResults(report, context) : jsonResults(report, context),
};

function jsonResults(report: Report, context: ImportContext): Result[] {
  const scans = readList(
    Scan,
    listsOf(report, (document) => property(document, 'results'), 'results'),
    'results',
    context,
  );
  return scans.flatMap((scan) => {
    // An id is the digest of the image and changes with every build.
    const image = imageName(scan.name ?? scan.repository ?? '');
    const artifact = { artifact: scan.name ?? scan.repository ?? scan.id, artifactIdentity: [image] };
    return [
      ...readList(Vulnerability, scan.vulnerabilities, 'results.vulnerabilities', context).map((found) =>
        vulnerablePackage({
          ...artifact,
          tool: 'twistlock',
          id: found.id,
          name: withoutUses(found.packageName),
          version: found.packageVersion,
          fixed: fixedVersions(found.status),
          path: found.packagePath,
          severity: found.severity,
          details: found.description,
          vectors: [found.vector],
          score: found.cvss || undefined,
          facts: { Status: found.status, 'Used in': usesOf(found.packageName) },
          references: [found.link],
        }),
      ),
      ...readList(Compliance, scan.compliances, 'results.compliances', context).map((found) =>
        failedCheck({
          tool: 'twistlock',
          id: found.id ?? found.title ?? 'compliance',
          name: found.title,
          resource: scan.name ?? scan.repository,
          resourceIdentity: [image],
          severity: severityOf(found.severity),
          message: found.cause,
          about: found.description,
          facts: { Category: found.category },
        }),
      ),
    ];
  });
}

/** `glibc (used in libc6, libc-bin)`: the packages that are built from a source package. */
const withoutUses = (name: string | undefined) => name?.replace(/ \(used in [^)]*\)$/, '');
const usesOf = (name: string | undefined) => / \(used in ([^)]*)\)$/.exec(name ?? '')?.[1];

function csvResults(report: Report, context: ImportContext): Result[] {
  if (report.kind !== 'csv') throw new ReportError('The report is not CSV');
  return readList(Row, report.rows, '', context).flatMap((row): Result[] => {
    const repository = distinct(row.Registry, row.Repository).join('/');
    const image = repository && `${repository}${row.Tag ? `:${row.Tag}` : ''}`;
    if (row['CVE ID']) {
      return [
        vulnerablePackage({
          tool: 'twistlock',
          id: row['CVE ID'],
          name: row.Packages || row['Source Package'],
          version: row['Package Version'],
          fixed: fixedVersions(row['Fix Status']),
          artifact: image,
          artifactIdentity: [repository],
          path: row['Package Path'],
          severity: row.Severity,
          details: row.Description,
          score: row.CVSS || undefined,
          facts: { Status: row['Fix Status'], 'Source package': row['Source Package'] },
          references: [row['Vulnerability Link']],
        }),
      ];
    }
    if (row['Compliance ID']) {
      return [
        failedCheck({
          tool: 'twistlock',
          id: row['Compliance ID'],
          resource: image,
          resourceIdentity: [repository],
          severity: severityOf(row.Severity),
          message: row.Cause,
          about: row.Description,
        }),
      ];
    }
    context.skip('rows without a vulnerability or a compliance rule');
    return [];
  });
}
