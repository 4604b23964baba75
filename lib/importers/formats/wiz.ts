import { z } from 'zod';
import { type Importer, open, type Result, readList } from '../importer.ts';
import { distinct, failedCheck, fixedVersions, vulnerablePackage } from '../kinds/resources.ts';
import { hasColumns, rowsOf, rowsWith } from '../read/report.ts';
import { fields, requiredText, text } from '../read/schema.ts';
import { firstRated, severityOf } from '../support.ts';

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
  ...fields(text, 'CVSSSeverity', 'VendorSeverity', 'FindingStatus', 'Remediation', 'LocationPath'),
  ...fields(text, 'DetailedName', 'Version', 'FixedVersion', 'DetectionMethod', 'HasExploit'),
  ...fields(text, 'HasCisaKevExploit', 'Link', 'WizURL', 'AssetID', 'AssetName', 'AssetRegion'),
  ...fields(text, 'ProviderUniqueId', 'CloudProviderURL', 'SubscriptionName'),
});

/** The CSV exports of Wiz: issues, and vulnerability findings. */
export const wiz: Importer = {
  name: 'wiz',
  about: {
    tool: '[Wiz](https://www.wiz.io)',
    command: 'Issues or Vulnerability Findings, Export to CSV',
    versions: 'the report names no version: exports of 2023 to 2025',
    identity: 'control, resource; or vulnerability, package, asset',
    severity: '`Severity`; for vulnerabilities `CVSSSeverity`, or `VendorSeverity`',
  },

  detects: (report) => hasColumns(report, ...ISSUES) || hasColumns(report, ...VULNERABILITIES),

  results(report, context) {
    return hasColumns(report, ...ISSUES)
      ? open(readList(Issue, rowsOf(report), '', context), ({ Status }) => closed(Status), context).map(
          fromIssue,
        )
      : open(
          readList(Vulnerability, rowsWith(report, VULNERABILITIES), '', context),
          ({ FindingStatus }) => closed(FindingStatus),
          context,
        ).map(fromVulnerability);
  },
};

const ISSUES = ['Title', 'Severity', 'Control ID', 'Issue ID', 'Resource external ID'];
const VULNERABILITIES = ['WizURL', 'Name', 'DetailedName', 'FindingStatus'];

/** Resolved, ignored and rejected findings are not open. */
const closed = (status: string | undefined) =>
  /^(?:resolved|ignored|rejected|closed)$/i.exec(status ?? '')?.[0].toLowerCase();

function fromIssue(issue: z.output<typeof Issue>): Result {
  const externalId = issue['Resource external ID'] || issue['Resource vertex ID'] || issue['Issue ID'];
  const result = failedCheck({
    tool: 'wiz',
    entries: [issue],
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
  return {
    ...result,
    title: distinct(issue.Title, issue['Resource Name'] && `(${issue['Resource Name']})`).join(' '),
  };
}

const fromVulnerability = (found: z.output<typeof Vulnerability>): Result =>
  vulnerablePackage({
    tool: 'wiz',
    entries: [found],
    id: found.Name,
    name: found.DetailedName,
    version: found.Version,
    fixed: fixedVersions(found.FixedVersion),
    artifact: found.AssetName || found.ProviderUniqueId,
    artifactIdentity: [found.ProviderUniqueId || found.AssetID || found.AssetName],
    path: found.LocationPath,
    severity: firstRated(found.CVSSSeverity, found.VendorSeverity),
    fix: found.Remediation,
    facts: {
      Region: found.AssetRegion,
      Subscription: found.SubscriptionName,
      'Found as': found.DetectionMethod,
      Exploit: found.HasExploit,
      'Known exploited (CISA)': found.HasCisaKevExploit,
    },
    references: [found.Link, found.WizURL, found.CloudProviderURL],
  });
