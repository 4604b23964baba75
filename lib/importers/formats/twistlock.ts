import { z } from 'zod';
import {
  type ImportContext,
  type Importer,
  type Report,
  type Result,
  readList,
  skipped,
} from '../importer.ts';
import { imageName } from '../kinds/dependency.ts';
import { distinct, failedCheck, fixedVersions, listsOf, vulnerablePackage } from '../kinds/resources.ts';
import { documentOf, hasColumns, hasKind, rowsOf } from '../read/report.ts';
import { anything, fields, number, objects, requiredText, text } from '../read/schema.ts';
import { property } from '../read/values.ts';
import { onlyName } from '../scanned.ts';
import { relativePath, severityOf } from '../support.ts';

const Vulnerability = z.object({
  id: requiredText,
  ...fields(text, 'severity', 'vector', 'status', 'description', 'packageName', 'packageVersion'),
  ...fields(text, 'packagePath', 'link'),
  cvss: number,
});
const Compliance = z.object(fields(text, 'id', 'title', 'severity', 'cause', 'description', 'category'));
const Scan = z.object({
  ...fields(text, 'id', 'name', 'repository'),
  packages: objects(fields(text, 'name', 'version', 'path')),
  vulnerabilities: anything,
  compliances: anything,
  complianceIssues: anything,
});

const Row = z.object({
  ...fields(text, 'CVE ID', 'Compliance ID', 'Registry', 'Repository', 'Tag', 'Severity', 'Packages'),
  ...fields(text, 'Source Package', 'Package Version', 'Package Path', 'Fix Status', 'Description', 'Cause'),
  'Vulnerability Link': text,
  CVSS: number,
});

const COLUMNS = ['CVE ID', 'Compliance ID', 'Fix Status', 'Packages'];

/** Prisma Cloud Compute (Twistlock): the JSON of `twistcli`, and the CSV of images from the console. */
export const twistlock: Importer = {
  name: 'twistlock',
  about: {
    tool: '[Prisma Cloud Compute](https://docs.prismacloud.io) (Twistlock)',
    command:
      '`twistcli images scan --details --output-file report.json <image>`, `twistcli coderepo scan`, or the CSV export of images',
    versions: 'the report names no version: twistcli JSON of 2025 and 2026, console CSV of 2020',
    identity: 'image, vulnerability and package, or compliance rule',
    severity: '`severity`, or CVSS',
  },

  detects: (report) => {
    const [first] = [property(documentOf(report), 'results') ?? documentOf(report)].flat();
    return (
      hasColumns(report, ...COLUMNS) ||
      hasKind(first, { vulnerabilityDistribution: 'value' }) ||
      hasKind(first, { complianceDistribution: 'value' })
    );
  },

  category: (report) =>
    onlyName(
      [property(documentOf(report), 'results')]
        .flat()
        .map((scan) => imageName(text.parse(property(scan, 'name')) ?? '')),
    ),

  results: (report, context) =>
    report.kind === 'csv' ? csvResults(report, context) : jsonResults(report, context),
};

function jsonResults(report: Report, context: ImportContext): Result[] {
  const scans = listsOf(
    report,
    (document) =>
      property(document, 'results') ??
      (property(document, 'vulnerabilityDistribution') === undefined ? undefined : [document]),
  );
  return readList(Scan, scans, 'results', context).flatMap((scan) => {
    // An id is the digest of the image and changes with every build.
    const image = imageName(scan.name ?? scan.repository ?? '');
    // The scan of a code repository lists the manifests.
    const pathOf = (found: z.output<typeof Vulnerability>) =>
      scan.packages.find(
        ({ name, version }) => name === found.packageName && version === found.packageVersion,
      )?.path;
    const artifact = { artifact: scan.name ?? scan.repository ?? scan.id, artifactIdentity: [image] };
    return [
      ...readList(Vulnerability, scan.vulnerabilities, 'results.vulnerabilities', context).map((found) =>
        vulnerablePackage({
          ...artifact,
          tool: 'twistlock',
          entries: [scan, found],
          id: found.id,
          name: withoutUses(found.packageName),
          version: found.packageVersion,
          fixed: fixedVersions(found.status),
          path: found.packagePath,
          file: scan.repository ? relativePath(pathOf(found), context) : undefined,
          severity: found.severity,
          details: found.description,
          vectors: [found.vector],
          score: found.cvss || undefined,
          facts: { Status: found.status, 'Used in': usesOf(found.packageName) },
          references: [found.link],
        }),
      ),
      ...readList(Compliance, scan.compliances ?? scan.complianceIssues, 'results.compliances', context).map(
        (found) =>
          failedCheck({
            tool: 'twistlock',
            entries: [scan, found],
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
const withoutUses = (name: string | undefined) => name?.replace(/ \(used in [^()]*\)$/, '');
const usesOf = (name: string | undefined) => / \(used in ([^()]*)\)$/.exec(name ?? '')?.[1];

function csvResults(report: Report, context: ImportContext): Result[] {
  return readList(Row, rowsOf(report), '', context).flatMap((row): Result | [] => {
    const repository = distinct(row.Registry, row.Repository).join('/');
    const image = repository && `${repository}${row.Tag ? `:${row.Tag}` : ''}`;
    if (row['CVE ID']) {
      return vulnerablePackage({
        tool: 'twistlock',
        entries: [row],
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
      });
    }
    if (row['Compliance ID']) {
      return failedCheck({
        tool: 'twistlock',
        entries: [row],
        id: row['Compliance ID'],
        resource: image,
        resourceIdentity: [repository],
        severity: severityOf(row.Severity),
        message: row.Cause,
        about: row.Description,
      });
    }
    return skipped('rows without a vulnerability or a compliance rule', context);
  });
}
