import { z } from 'zod';
import {
  type ImportContext,
  type Importer,
  type Report,
  ReportError,
  type Result,
  readList,
  skipped,
} from '../importer.ts';
import { distinct, failedCheck, fixedVersions, vulnerablePackage } from '../kinds/resources.ts';
import { fields, requiredText, text } from '../read/schema.ts';
import { severityOf } from '../support.ts';

const Issue = z.object({
  Title: requiredText,
  ...fields(text, 'Severity', 'Status', 'Resolution', 'Description', 'Control ID', 'Issue ID'),
  ...fields(text, 'Resource Type', 'Resource external ID', 'Resource Name', 'Resource Region'),
  ...fields(text, 'Resource Platform', 'Resource vertex ID', 'Subscription ID', 'Subscription Name'),
  ...fields(text, 'Kubernetes Cluster', 'Kubernetes Namespace', 'Remediation Recommendation', 'Wiz URL'),
  'Cloud Provider URL': text,
});

const Vulnerability = z.object({
  Name: requiredText,
  ...fields(text, 'CVSSSeverity', 'VendorSeverity', 'FindingStatus', 'ResolutionReason', 'Remediation'),
  ...fields(text, 'LocationPath', 'DetailedName', 'Version', 'FixedVersion', 'DetectionMethod', 'HasExploit'),
  ...fields(text, 'HasCisaKevExploit', 'Link', 'WizURL', 'AssetID', 'AssetName', 'AssetRegion'),
  ...fields(text, 'ProviderUniqueId', 'CloudProviderURL', 'SubscriptionName', 'OperatingSystem'),
});

/** The CSV exports of Wiz: issues, and vulnerability findings. */
export const wiz: Importer = {
  name: 'wiz',
  about: {
    tool: '[Wiz](https://www.wiz.io)',
    command: 'Issues or Vulnerability Findings, Export to CSV',
    versions: 'the report names no version: exports of 2023 to 2025',
    identity: 'control, resource; or vulnerability, package, asset',
    severity: '`Severity`; `CVSSSeverity` or `VendorSeverity`',
  },

  detects: (report) =>
    report.kind === 'csv' && (isIssues(report.columns) || isVulnerabilities(report.columns)),

  results(report, context) {
    if (report.kind !== 'csv') throw new ReportError('The report is not CSV');
    if (isIssues(report.columns)) return issues(report, context);
    if (isVulnerabilities(report.columns)) return vulnerabilities(report, context);
    throw new ReportError('The table has neither the columns of issues nor those of vulnerability findings');
  },
};

const isIssues = (columns: readonly string[]) =>
  ['Title', 'Severity', 'Control ID', 'Issue ID', 'Resource external ID'].every((name) =>
    columns.includes(name),
  );

const isVulnerabilities = (columns: readonly string[]) =>
  ['WizURL', 'Name', 'DetailedName', 'FindingStatus'].every((name) => columns.includes(name));

/** Resolved, ignored and rejected findings are not open. */
const isOpen = (status: string | undefined) => !/^(?:resolved|ignored|rejected|closed)$/i.test(status ?? '');

type Table = Extract<Report, { kind: 'csv' }>;

function issues({ rows }: Table, context: ImportContext): Result[] {
  return readList(Issue, rows, '', context).flatMap((issue) => {
    if (!isOpen(issue.Status)) return skipped((issue.Status ?? '').toLowerCase(), context);
    const externalId = issue['Resource external ID'] || issue['Resource vertex ID'] || issue['Issue ID'];
    const result = failedCheck({
      tool: 'wiz',
      id: issue['Control ID'] || issue.Title,
      name: issue.Title,
      resource: issue['Resource Name'] || externalId,
      resourceIdentity: [issue['Subscription ID'], issue['Resource Type'], externalId],
      severity: severityOf(issue.Severity),
      about: issue.Description,
      fix: issue['Remediation Recommendation'],
      markdown: true,
      facts: {
        'Resource type': issue['Resource Type'],
        'Resource id': externalId,
        Platform: issue['Resource Platform'],
        Region: issue['Resource Region'],
        Subscription: issue['Subscription Name'] || issue['Subscription ID'],
        Cluster: issue['Kubernetes Cluster'],
        Namespace: issue['Kubernetes Namespace'],
      },
      references: [issue['Wiz URL'], issue['Cloud Provider URL']],
    });
    return [
      {
        ...result,
        title: distinct(issue.Title, issue['Resource Name'] && `(${issue['Resource Name']})`).join(' '),
      },
    ];
  });
}

function vulnerabilities({ rows }: Table, context: ImportContext): Result[] {
  return readList(Vulnerability, rows, '', context).flatMap((found) => {
    if (!isOpen(found.FindingStatus)) return skipped((found.FindingStatus ?? '').toLowerCase(), context);
    return [
      vulnerablePackage({
        tool: 'wiz',
        id: found.Name,
        name: found.DetailedName,
        version: found.Version,
        fixed: fixedVersions(found.FixedVersion),
        artifact: found.AssetName || found.ProviderUniqueId,
        artifactIdentity: [found.ProviderUniqueId || found.AssetID || found.AssetName],
        path: found.LocationPath,
        severity: found.CVSSSeverity || found.VendorSeverity,
        fix: found.Remediation,
        facts: {
          Region: found.AssetRegion,
          Subscription: found.SubscriptionName,
          'Found as': found.DetectionMethod,
          Exploit: found.HasExploit,
          'Known exploited (CISA)': found.HasCisaKevExploit,
        },
        references: [found.Link, found.WizURL, found.CloudProviderURL],
      }),
    ];
  });
}
