import { z } from 'zod';
import { type ImportContext, type Report, ReportError, readList } from '../importer.ts';
import { cvesIn, type Issue, statedCvss } from '../kinds/issues.ts';
import { type Cell, cellOf, hasColumns, rowsOf } from '../read/report.ts';
import { requiredText } from '../read/schema.ts';
import { cweOf, severityOf } from '../support.ts';
import { issueOf } from './nessus-issue.ts';

/** A row of the CSV of Nessus, Tenable Vulnerability Management or Tenable Security Center. */
const Row = z.object({
  plugin: requiredText,
  name: requiredText,
  host: requiredText,
  cell: z.custom<Cell>((value) => typeof value === 'function'),
});

/** The layouts of the CSV: which columns name one, and under which names it has the same contents. */
const LAYOUTS = [
  { detect: ['Plugin ID', 'Host', 'Name', 'Plugin Output'], plugin: 'Plugin ID', name: 'Name' },
  { detect: ['Plugin', 'Plugin Name', 'IP Address', 'Severity'], plugin: 'Plugin', name: 'Plugin Name' },
  {
    detect: ['definition.id', 'definition.name', 'asset.name'],
    plugin: 'definition.id',
    name: 'definition.name',
  },
] as const;

export const isCsv = (report: Report) => LAYOUTS.some(({ detect }) => hasColumns(report, ...detect));

export function csvIssues(report: Report, context: ImportContext): Issue[] {
  const layout = LAYOUTS.find(({ detect }) => hasColumns(report, ...detect));
  if (!layout)
    throw new ReportError(
      'This is no CSV of Nessus or Tenable: the columns of the plugin and the host are missing',
    );
  const rows = rowsOf(report).map((row) => {
    const cell = cellOf(row);
    return { plugin: row[layout.plugin], name: row[layout.name], host: cell(...HOST_COLUMNS), cell };
  });
  return readList(Row, rows, 'rows', context).map(({ plugin, name, host, cell }) =>
    issueOf({
      plugin,
      name,
      family: cell('Plugin Family', 'Family', 'definition.family'),
      host,
      address: cell('IP Address', 'asset.display_ipv4_address'),
      port: cell('Port', 'port'),
      protocol: cell('Protocol', 'protocol'),
      severity: severityOf(cell('Risk', 'severity', 'Severity', 'definition.severity', 'Risk Factor')),
      synopsis: cell('Synopsis', 'definition.synopsis'),
      description: cell('Description', 'definition.description'),
      solution: cell('Solution', 'Steps to Remediate', 'definition.solution'),
      output: cell('Plugin Output', 'Plugin Text', 'output')?.replace(/^Plugin Output:/, ''),
      references: (cell('See Also', 'definition.see_also') ?? '').split(/[\s,]+/),
      cves: cvesIn(cell('CVE', 'definition.cve')),
      cwe: cweIn(cell('Cross References', 'XREF')) ?? cweOf(cell('definition.cwe')),
      cvss:
        statedCvss(cell('definition.cvss4.base_vector'), scoreOf(cell(...CVSS4_COLUMNS))) ??
        statedCvss(
          cell('CVSS V3 Vector', 'CVSS3 Vector', 'definition.cvss3.base_vector'),
          scoreOf(cell(...CVSS3_COLUMNS)),
        ) ??
        statedCvss(
          cell('CVSS V2 Vector', 'CVSS Vector', 'definition.cvss2.base_vector'),
          scoreOf(cell(...CVSS2_COLUMNS)),
        ),
    }),
  );
}

const HOST_COLUMNS = [
  'Host',
  'asset.display_fqdn',
  'asset.host_name',
  'asset.name',
  'DNS Name',
  'IP Address',
  'asset.display_ipv4_address',
];
const CVSS4_COLUMNS = ['CVSS v4.0 Base Score', 'definition.cvss4.base_score'];
const CVSS3_COLUMNS = [
  'CVSS V3 Base Score',
  'CVSS v3.0 Base Score',
  'CVSS3 Base Score',
  'CVSSv3',
  'definition.cvss3.base_score',
];
const CVSS2_COLUMNS = [
  'CVSS V2 Base Score',
  'CVSS v2.0 Base Score',
  'CVSS Base Score',
  'CVSS',
  'definition.cvss2.base_score',
];

/** `CWE #310` in a list of references. */
const cweIn = (references: string | undefined) =>
  cweOf(/\bCWE[ :#-]{1,3}\d+/.exec(references ?? '')?.[0].replace('#', ''));

const scoreOf = (value: string | undefined) =>
  value && Number.isFinite(Number(value)) ? Number(value) : undefined;
