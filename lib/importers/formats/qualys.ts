import { z } from 'zod';
import {
  type ImportContext,
  type Importer,
  type Report,
  ReportError,
  readList,
  skipped,
} from '../importer.ts';
import { cvesIn, type Issue, resultsOf, statedCvss } from '../kinds/issues.ts';
import { type Cell, cellOf, hasColumns, hasRoot, rootOf, rowsOf } from '../read/report.ts';
import { requiredText } from '../read/schema.ts';
import { assetIssues, isFixed, levelOf, scanIssues, scoreOf, toIssue } from '../tools/qualys-xml.ts';

const Row = z.object({
  QID: requiredText,
  host: requiredText,
  cell: z.custom<Cell>((value) => typeof value === 'function'),
});

/** Qualys VM, VMDR and PCI: asset data reports and scan reports in XML, and the CSV of reports. */
export const qualys: Importer = {
  name: 'qualys',
  about: {
    tool: '[Qualys](https://www.qualys.com) VMDR and PCI, HackerGuardian',
    command:
      '*Reports > New > Scan Report > XML* or *CSV*; *Scans > Download > XML*; VMDR: *Vulnerabilities > Download > CSV*',
    versions:
      'asset data report, scan report, CSV of VM, VMDR (2 layouts), PCI and HackerGuardian, 2019 to 2026',
    identity: 'QID, host, port and protocol, instance',
    severity: 'severity level 5 to 1 as critical to info; information gathered as info',
  },

  detects: (report) =>
    hasRoot(report, 'ASSET_DATA_REPORT') ||
    (hasRoot(report, 'SCAN') &&
      /^(?:scan|compliance)\//.test(String(rootOf(report, 'SCAN')['@_value'] ?? ''))) ||
    LAYOUTS.some((columns) => hasColumns(report, ...columns)),

  results: (report, context) => resultsOf('qualys', issuesOf(report, context), context),
};

const LAYOUTS = [
  ['IP', 'QID', 'Title', 'Severity'],
  ['IP', 'QID', 'VULN TITLE', 'Q_SEVERITY'],
  ['QID', 'Title', 'Severity', 'Asset Name'],
] as const;

function issuesOf(report: Report, context: ImportContext): Issue[] {
  if (report.kind === 'csv') {
    if (!LAYOUTS.some((columns) => hasColumns(report, ...columns)))
      throw new ReportError('This is no CSV of Qualys: the columns of the QID and the host are missing');
    return csvIssues(report, context);
  }
  return hasRoot(report, 'SCAN') ? scanIssues(report, context) : assetIssues(report, context);
}

function csvIssues(report: Report, context: ImportContext): Issue[] {
  const rows = rowsOf(report).map((row) => {
    const cell = cellOf(row);
    return {
      QID: cell('QID'),
      host: cell('Asset Name', 'DNS', 'HOSTNAME', 'FQDN', 'IP', 'Asset IPV4', 'Asset IPV6'),
      cell,
    };
  });
  return readList(Row, rows, 'rows', context).flatMap(({ QID, host, cell }) => {
    if (isFixed(cell('Vuln Status', 'Status'), context)) return [];
    if (/^(?:yes|approved)$/i.test(cell('Ignored', 'FALSE POSITIVE STATUS') ?? ''))
      return skipped('they are ignored or false positives in Qualys', context);
    const kind = cell('Type', 'TYPE', 'Type Detected') ?? '';
    const isInformation = /^(?:ig|info)/i.test(kind);
    const [base, score] = [cell('CVSS3 Base', 'CVSSv3.1 Base (nvd)'), cell('CVSS_BASE', 'CVSSv2 Base (nvd)')];
    return toIssue({
      qid: QID,
      title: cell('Title', 'VULN TITLE'),
      host,
      ip: cell('IP', 'Asset IPV4', 'Asset IPV6'),
      system: cell('OS', 'OPERATING SYSTEM', 'Operating System'),
      port: cell('Port', 'PORT'),
      protocol: cell('Protocol', 'PROTOCOL'),
      instance: cell('Instance'),
      category: cell('Category', 'CATEGORY'),
      severity: isInformation ? 'info' : levelOf(cell('Q_SEVERITY', 'Severity')),
      threat: cell('Threat', 'THREAT', 'CVE-Description'),
      impact: cell('Impact', 'IMPACT'),
      solution: cell('Solution', 'SOLUTION'),
      result: cell('Results', 'RESULT'),
      cves: cvesIn(cell('CVE ID', 'CVEID', 'CVE')),
      cvss: statedCvss(base, scoreOf(base)) ?? statedCvss(score, scoreOf(score)),
      references: [],
      status: cell('Vuln Status', 'Status'),
      kind: isInformation
        ? 'Information gathered'
        : /^(?:practice|potential)/i.test(kind)
          ? 'Potential'
          : undefined,
    });
  });
}
