import { z } from 'zod';
import type { Severity } from '../finding.ts';
import { type ImportContext, type Importer, type Report, ReportError, readList } from '../importer.ts';
import { cvesIn, hasRoot, type Issue, resultsOf, rootOf, statedCvss } from '../kinds/issues.ts';
import { elementAt, elements, number, requiredText, text, texts } from '../read/schema.ts';
import { cweOf, severityOf } from '../support.ts';
import { csvIssues, isCsv } from '../tools/nessus-csv.ts';
import { issueOf } from '../tools/nessus-issue.ts';

/** A result in the XML. Attributes start with `@_`. */
const Item = z.object({
  '@_pluginID': requiredText,
  '@_pluginName': text,
  '@_pluginFamily': text,
  '@_severity': text,
  '@_port': text,
  '@_protocol': text,
  '@_svc_name': text,
  plugin_name: text,
  synopsis: text,
  description: text,
  solution: text,
  see_also: texts,
  plugin_output: text,
  risk_factor: text,
  cve: texts,
  cwe: texts,
  xref: texts,
  cvss_base_score: number,
  cvss_vector: text,
  cvss3_base_score: number,
  cvss3_vector: text,
  cvss4_base_score: number,
  cvss4_vector: text,
  cvss: number,
  cvssv3: number,
});

/** Nessus XML (`.nessus`) and the CSV of Nessus and Tenable. */
export const nessus: Importer = {
  name: 'nessus',
  about: {
    tool: '[Nessus](https://www.tenable.com/products/nessus) and Tenable',
    command:
      'Nessus: *Export > Nessus* or *CSV*; Tenable: *Export > CSV*; Tenable Web App Scanning: `.nessus` or CSV',
    versions: 'NessusClientData_v2; CSV of Nessus, Tenable.io (2 layouts) and Tenable.sc',
    identity: 'plugin, host, port and protocol; also the address and the element for web applications',
    severity: '`severity` (XML) or `Risk` or `Severity` (CSV), including recasts',
  },
  split: { xml: { 'NessusClientData_v2.Report.ReportHost': 'ReportHost' }, csv: true },

  detects: (report) => hasRoot(report, 'NessusClientData_v2', 'NessusClientData') || isCsv(report),

  results: (report, context) =>
    resultsOf(
      'nessus',
      report.kind === 'csv' ? csvIssues(report, context) : xmlIssues(report, context),
      context,
    ),
};

function xmlIssues(report: Report, context: ImportContext): Issue[] {
  if (hasRoot(report, 'NessusClientData'))
    throw new ReportError(
      'Nessus reports of version 1 are not supported: export “.nessus” with Nessus 4 or later',
    );
  const root = rootOf(report, 'NessusClientData_v2');
  const offset = context.parts?.offsetOf('ReportHost') ?? 0;
  return elements(elementAt(root, 'Report'), 'ReportHost').flatMap((host, position) => {
    const index = offset + position;
    const name = String(host['@_name'] ?? '');
    const items = readList(Item, elements(host, 'ReportItem'), `ReportHost.${index}.ReportItem`, context);
    return items.map((item) => {
      const [family, port] = [item['@_pluginFamily'], item['@_port']];
      return issueOf({
        plugin: item['@_pluginID'],
        name: item['@_pluginName'] ?? item.plugin_name ?? `Plugin ${item['@_pluginID']}`,
        family,
        host: name,
        port,
        protocol: item['@_protocol'],
        service: item['@_svc_name'],
        severity: LEVELS[Number(item['@_severity'])] ?? severityOf(item.risk_factor),
        synopsis: item.synopsis,
        description: item.description,
        solution: item.solution,
        output: item.plugin_output,
        references: item.see_also.flatMap((links) => links.split(/\s+/)),
        cves: cvesIn(...item.cve),
        cwe: cweOf(...item.cwe, ...item.xref.filter((reference) => /^CWE\b/.test(reference))),
        cvss:
          statedCvss(item.cvss4_vector, item.cvss4_base_score) ??
          statedCvss(item.cvss3_vector, item.cvss3_base_score ?? item.cvssv3) ??
          statedCvss(item.cvss_vector, item.cvss_base_score ?? item.cvss),
      });
    });
  });
}

const LEVELS: readonly Severity[] = ['info', 'low', 'medium', 'high', 'critical'];
