import { z } from 'zod';
import type { Severity } from '../finding.ts';
import { fingerprintOf } from '../identity/identity.ts';
import { type Importer, open, type Report, ReportError, readList } from '../importer.ts';
import { upgrade } from '../kinds/dependency.ts';
import { distinct } from '../kinds/resources.ts';
import { documentOf } from '../read/report.ts';
import { fields, list, number, object, objects, record, requiredText, text, texts } from '../read/schema.ts';
import { isObject, property } from '../read/values.ts';
import { cveOf, cvssOf, cweOf, isRated, severityOf, severityOfScore } from '../support.ts';
import { maskCredentials } from '../text/credentials.ts';
import { describeFinding, escapeMarkdown, joined } from '../text/markdown.ts';

const Package = z.object(fields(text, 'Name', 'Version', 'FixedInVersion', 'FilePath', 'Remediation'));
const Vulnerability = z.object({
  Id: requiredText,
  VulnerablePackages: list(Package),
  Cvss: objects({ Version: text, BaseScore: number, BaseVector: text }),
  RelatedVulnerabilities: texts,
  ReferenceUrls: texts,
  Vendor: object({ Url: text }),
});
const Rating = object({ Label: text, Normalized: number, Product: number, Original: text });
const Finding = z.object({
  Id: requiredText,
  ...fields(text, 'ProductArn', 'ProductName', 'GeneratorId', 'AwsAccountId', 'Region', 'Title'),
  ...fields(text, 'Description', 'SourceUrl', 'WorkflowState', 'RecordState'),
  Types: texts,
  Severity: Rating,
  FindingProviderFields: object({ Severity: Rating }),
  Remediation: object({ Recommendation: object({ Text: text, Url: text }) }),
  Resources: objects({ Type: text, Id: text, Region: text, Details: object({ Other: record }) }),
  Compliance: object({ Status: text, SecurityControlId: text }),
  Workflow: object({ Status: text }),
  Vulnerabilities: list(Vulnerability),
});
type Finding = z.output<typeof Finding>;

/** Findings in the AWS Security Finding Format (ASFF): of Security Hub, Inspector, GuardDuty, Config, Macie, Prowler and others. */
export const awsSecurityHub: Importer = {
  name: 'aws-security-hub',
  about: {
    tool: '[AWS Security Hub](https://docs.aws.amazon.com/securityhub/) (ASFF)',
    command: '`aws securityhub get-findings > report.json`',
    versions: 'ASFF 2018-10-08',
    identity:
      'check, account, region, resources; vulnerability, packages, account, region, resources; or the finding id, package and file',
    severity: '`Severity.Label`, `Severity.Normalized`, the same of `FindingProviderFields`, CVSS',
  },

  detects: (report) => {
    const findings = findingsOf(report);
    const [first] = findings ?? [];
    if (findings?.length === 0) return Array.isArray(property(documentOf(report), 'Findings'));
    return typeof property(first, 'SchemaVersion') === 'string' &&
      property(first, 'AwsAccountId') !== undefined
      ? property(first, 'Id') !== undefined && property(first, 'Types') !== undefined
      : typeof property(first, 'ProductArn') === 'string' && property(first, 'Id') !== undefined;
  },

  results(report, context) {
    const findings = findingsOf(report);
    if (!findings) throw new ReportError('The report has no findings');
    return open(readList(Finding, findings, '', context), skipReason, context).map(resultOf);
  },
};

/** The list in the report, of several pages one after another, or a stream of single findings. */
function findingsOf(report: Report): unknown[] | undefined {
  if (report.kind !== 'json') return undefined;
  const lists = report.documents.map((document) => {
    if (Array.isArray(document)) return document;
    const found = property(document, 'Findings') ?? property(document, 'findings');
    if (Array.isArray(found)) return found;
    return isObject(document) && typeof document.SchemaVersion === 'string' ? [document] : undefined;
  });
  return lists.every((found) => found !== undefined) ? lists.flat() : undefined;
}

function skipReason({ Compliance, Workflow, WorkflowState, RecordState }: Finding): string | undefined {
  switch (Compliance?.Status?.toUpperCase()) {
    case 'PASSED':
      return 'passed';
    case 'NOT_AVAILABLE':
      return 'not available';
    case 'INFOED':
      return 'need a manual check';
  }
  const workflow = (Workflow?.Status ?? WorkflowState)?.toUpperCase();
  if (workflow === 'SUPPRESSED' || workflow === 'RESOLVED') return workflow.toLowerCase();
  return RecordState?.toUpperCase() === 'ARCHIVED' ? 'archived' : undefined;
}

function resultOf(finding: Finding) {
  const { Id, Title, Description, Types, Vulnerabilities, Resources, Remediation, SourceUrl } = finding;
  const other = (name: string) => otherOf(finding, name);
  const packages = [
    ...Vulnerabilities.flatMap(({ VulnerablePackages }) => VulnerablePackages),
    ...trivyPackages(finding),
  ];
  const cvss = Vulnerabilities.flatMap(({ Cvss }) => Cvss)
    .toSorted((a, b) => Number(b.Version ?? 0) - Number(a.Version ?? 0))
    .map(
      ({ BaseVector, BaseScore }) =>
        cvssOf(BaseVector) ?? (BaseScore ? { score: BaseScore, vector: undefined } : undefined),
    )
    .find(Boolean);
  const related = Vulnerabilities.flatMap(({ RelatedVulnerabilities }) => RelatedVulnerabilities);
  const { Text: advice, Url: link } = Remediation?.Recommendation ?? {};
  const plain = maskCredentials(Title ?? Description ?? Id);
  const name = other('PkgName');
  const title = name && !plain.includes(name) ? `${plain} (${name})` : plain;
  const identity = identityOf(finding);
  return {
    entries: [finding],
    repeats: Vulnerabilities.length > 0,
    identify: () => fingerprintOf('aws-security-hub', ...identity),
    ...(identity.length > 2 &&
      identity[0] === 'finding' && {
        // The package and the file were not part of it.
        identifyFormerly: () => fingerprintOf('aws-security-hub', ...identity.slice(0, 2)),
      }),
    title,
    rule_id: finding.Compliance?.SecurityControlId ?? Vulnerabilities[0]?.Id ?? finding.GeneratorId,
    severity: severityOfFinding(finding, cvss?.score),
    description: describeFinding({
      what: escapeMarkdown(maskCredentials(Description ?? title)),
      facts: {
        Product: finding.ProductName ?? finding.ProductArn?.split('/').at(-1),
        Control: finding.Compliance?.SecurityControlId ?? finding.GeneratorId,
        Type: Types.join(', '),
        Account: finding.AwsAccountId,
        Region: finding.Region ?? Resources[0]?.Region,
        Package: distinct(...packages.map((found) => distinct(found.Name, found.Version).join(' '))).join(
          ', ',
        ),
        Path: distinct(...packages.map(({ FilePath }) => FilePath), other('Filename')).join(', '),
      },
      where: Resources.map(
        (one) => `- ${escapeMarkdown(maskCredentials(distinct(one.Type, one.Id).join(' ')))}`,
      ).join('\n'),
      fix: joined(
        [
          advice && escapeMarkdown(advice),
          packages.some(({ FixedInVersion }) => isVersion(FixedInVersion)) &&
            distinct(
              ...packages.map(
                (found) =>
                  (isVersion(found.FixedInVersion) && upgrade(found.Name, [found.FixedInVersion])) || '',
              ),
            ).join('\n'),
        ],
        '\n\n',
      ),
      references: [
        link,
        SourceUrl,
        ...Vulnerabilities.flatMap(({ Vendor, ReferenceUrls }) => [Vendor?.Url, ...ReferenceUrls]),
      ],
    }),
    cwe: cweOf(...related.filter((name) => /^CWE-/i.test(name))),
    cve: cveOf(...Vulnerabilities.map((found) => found.Id), ...related, other('CVE ID')),
    cvss_score: cvss ? cvss.score : undefined,
    cvss_vector: cvss ? cvss.vector : undefined,
  };
}

const isVersion = (version: string | undefined) => /\d/.test(version ?? '');

/**
 * A vulnerability and a check are the same in every report that has their resource. Other findings are events, such as those of
 * GuardDuty: only their id tells whether two of one resource are the same.
 */
function identityOf(finding: Finding): string[] {
  const { Id, GeneratorId, AwsAccountId = '', Compliance, Region, Resources, Vulnerabilities } = finding;
  const resources = Resources.map((resource) => withoutDigest(resource.Id ?? '')).toSorted();
  const region = Region ?? Resources[0]?.Region ?? '';
  if (Vulnerabilities.length > 0) {
    const found = Vulnerabilities.map(({ Id, VulnerablePackages }) =>
      [
        Id,
        ...VulnerablePackages.map(({ Name, FilePath }) => `${Name ?? ''} ${FilePath ?? ''}`).toSorted(),
      ].join(' '),
    );
    return ['vulnerability', AwsAccountId, region, ...found.toSorted(), ...resources];
  }
  return Compliance?.Status && GeneratorId && resources.length > 0
    ? ['check', GeneratorId, AwsAccountId, region, ...resources]
    : ['finding', Id, ...distinct(otherOf(finding, 'PkgName'), otherOf(finding, 'Filename'))];
}

/** A detail of the resources that the format does not define, as Trivy writes it. */
const otherOf = ({ Resources }: Finding, name: string): string | undefined =>
  Resources.map(({ Details }) => text.parse(Details?.Other?.[name])).find(Boolean);

/** The package of a finding of Trivy. Its ids name the target and the vulnerability only. */
function trivyPackages(finding: Finding): z.output<typeof Package>[] {
  const Name = otherOf(finding, 'PkgName');
  if (!Name) return [];
  const Version = otherOf(finding, 'Installed Package');
  const FixedInVersion = otherOf(finding, 'Patched Package');
  return [{ Name, Version, FixedInVersion, FilePath: undefined, Remediation: undefined }];
}

/** The digest of an image changes with every build. */
const withoutDigest = (id: string) => id.replace(/[/@]sha256:[0-9a-f]{8,}$/i, '');

/** The score counts if nobody has rated the finding. */
function severityOfFinding({ Severity: rating, FindingProviderFields }: Finding, score: number | undefined) {
  for (const found of [rating, FindingProviderFields?.Severity]) {
    if (isRated(found?.Label)) return severityOf(found?.Label);
    // Zero beside the label `UNTRIAGED` says nothing.
    if (found?.Normalized && found.Normalized > 0) return severityOfNormalized(found.Normalized);
    if (found?.Normalized === 0 && !found.Label) return 'info';
  }
  return severityOf(rating?.Label, severityOfScore(score));
}

/** The ranges that the format defines. */
function severityOfNormalized(value: number): Severity {
  if (value >= 90) return 'critical';
  if (value >= 70) return 'high';
  if (value >= 40) return 'medium';
  return value > 0 ? 'low' : 'info';
}
