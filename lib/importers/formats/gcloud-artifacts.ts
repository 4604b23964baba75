import { z } from 'zod';
import { type Importer, type Report, ReportError, type Result, readList } from '../importer.ts';
import { imageName } from '../kinds/dependency.ts';
import { distinct, vulnerablePackage } from '../kinds/resources.ts';
import { documentOf } from '../read/report.ts';
import { fields, number, object, objects, requiredText, text } from '../read/schema.ts';
import { isObject, property } from '../read/values.ts';

const Version = object({ fullName: text, name: text, kind: text });
const Occurrence = z.object({
  noteName: requiredText,
  resourceUri: text,
  vulnerability: z.object({
    ...fields(text, 'effectiveSeverity', 'severity', 'shortDescription', 'longDescription'),
    cvssScore: number,
    cvssv3: object({ baseScore: number }),
    packageIssue: objects({
      affectedPackage: text,
      affectedVersion: Version,
      fixedVersion: Version,
      packageType: text,
      fileLocation: objects({ filePath: text }),
    }),
    relatedUrls: objects({ url: text }),
  }),
});

/** `gcloud artifacts docker images describe --show-package-vulnerability --format json` */
export const gcloudArtifacts: Importer = {
  name: 'gcloud-artifacts',
  about: {
    tool: '[Google Artifact Analysis](https://cloud.google.com/artifact-analysis/docs)',
    command:
      '`gcloud artifacts docker images describe <image> --show-package-vulnerability --format json > report.json`',
    versions: 'the report names no version: reports of 2023 and later',
    identity: 'image, vulnerability, package, path',
    severity: '`effectiveSeverity`, or CVSS',
  },

  detects: (report) => isObject(vulnerabilitiesOf(report)),

  results(report, context) {
    const bySeverity = vulnerabilitiesOf(report);
    if (!isObject(bySeverity))
      throw new ReportError('The report has no vulnerabilities', 'package_vulnerability_summary');
    return Object.entries(bySeverity).flatMap(([severity, found]) =>
      readList(
        Occurrence,
        found,
        `package_vulnerability_summary.vulnerabilities.${severity}`,
        context,
      ).flatMap((occurrence): Result[] => {
        const { noteName, resourceUri, vulnerability: found } = occurrence;
        const image = resourceUri?.replace(/^https?:\/\//, '');
        const issues = found.packageIssue.length > 0 ? found.packageIssue : [undefined];
        return issues.map((issue) => {
          const fixed = issue?.fixedVersion?.kind === 'MAXIMUM' ? undefined : issue?.fixedVersion;
          return vulnerablePackage({
            tool: 'gcloud-artifacts',
            entries: [occurrence, issue],
            id: noteName.split('/').at(-1) ?? noteName,
            name: issue?.affectedPackage,
            version: issue?.affectedVersion?.fullName ?? issue?.affectedVersion?.name,
            fixed: [fixed?.fullName ?? fixed?.name],
            artifact: image,
            artifactIdentity: [image && imageName(image)],
            path:
              distinct(...(issue?.fileLocation ?? []).map(({ filePath }) => filePath)).join(', ') ||
              undefined,
            severity: /UNSPECIFIED/.test(found.effectiveSeverity ?? '')
              ? severity
              : (found.effectiveSeverity ?? found.severity ?? severity),
            details: found.longDescription?.replace(/^NIST vectors: \S+\s*/, ''),
            vectors: [/\bCVSS:3\.\d\/\S+/.exec(found.longDescription ?? '')?.[0]],
            score: found.cvssv3?.baseScore || found.cvssScore || undefined,
            facts: { 'Package type': issue?.packageType },
            aliases: [found.shortDescription],
            references: found.relatedUrls.map(({ url }) => url),
          });
        });
      }),
    );
  },
};

const vulnerabilitiesOf = (report: Report): unknown =>
  property(documentOf(report), 'package_vulnerability_summary', 'vulnerabilities');
