import { z } from 'zod';
import type { Rating } from '../finding.ts';
import { type ImportContext, type Importer, type Report, ReportError, readList } from '../importer.ts';
import {
  addressIdentity,
  cvesIn,
  formatService,
  hostIdentity,
  type Issue,
  resultsOf,
  shownAddress,
  statedCvss,
} from '../kinds/issues.ts';
import { type Cell, cellOf, hasColumns, hasRoot, rootOf, rowsOf } from '../read/report.ts';
import { fields, number, requiredText, text, textAt, texts } from '../read/schema.ts';
import { elements } from '../read/values.ts';
import { cweOf, firstRated, severityOfLevel } from '../support.ts';
import { escapeMarkdown, joined } from '../text/markdown.ts';

/** A result in the XML. Attributes start with `@_`. */
const Item = z.object({
  '@_pluginID': requiredText,
  ...fields(text, '@_pluginName', '@_pluginFamily', '@_severity', '@_port', '@_protocol', '@_svc_name'),
  ...fields(text, 'plugin_name', 'synopsis', 'description', 'solution', 'plugin_output', 'risk_factor'),
  ...fields(text, 'cvss_vector', 'cvss3_vector', 'cvss4_vector'),
  ...fields(texts, 'see_also', 'cve', 'cwe', 'xref'),
  ...fields(number, 'cvss_base_score', 'cvss3_base_score', 'cvss4_base_score', 'cvss', 'cvssv3'),
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

  category: (report) =>
    report.kind === 'xml' ? textAt(rootOf(report, report.root), 'Report', '@_name') : undefined,

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
  return elements(root, 'Report', 'ReportHost').flatMap((host, position) => {
    const index = offset + position;
    const name = String(host['@_name'] ?? '');
    const address = elements(host, 'HostProperties', 'tag')
      .filter((tag) => tag['@_name'] === 'host-ip')
      .flatMap((tag) => text.parse(tag['#text']) ?? [])[0];
    const items = readList(Item, elements(host, 'ReportItem'), `ReportHost.${index}.ReportItem`, context);
    return items.map((item) => {
      const [family, port] = [item['@_pluginFamily'], item['@_port']];
      return issueOf({
        plugin: item['@_pluginID'],
        name: item['@_pluginName'] ?? item.plugin_name ?? `Plugin ${item['@_pluginID']}`,
        family,
        host: name,
        address,
        port,
        protocol: item['@_protocol'],
        service: item['@_svc_name'],
        severity: severityOfLevel(firstRated(item['@_severity'], item.risk_factor)),
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

const isCsv = (report: Report) => LAYOUTS.some(({ detect }) => hasColumns(report, ...detect));

function csvIssues(report: Report, context: ImportContext): Issue[] {
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
      repository: cell('Repository'),
      port: cell('Port', 'port'),
      protocol: cell('Protocol', 'protocol'),
      severity: severityOfLevel(cell('Risk', 'severity', 'Severity', 'definition.severity', 'Risk Factor')),
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

/** A result of a plugin, whatever the layout of the report. */
interface Plugin {
  plugin: string;
  name: string;
  family?: string | undefined;
  host: string;
  address?: string | undefined;
  /** The network of the host, in Tenable Security Center. */
  repository?: string | undefined;
  port?: string | undefined;
  protocol?: string | undefined;
  service?: string | undefined;
  severity: Rating;
  synopsis?: string | undefined;
  description?: string | undefined;
  solution?: string | undefined;
  output?: string | undefined;
  references: string[];
  cves: string[];
  cwe?: string | undefined;
  cvss?: Issue['cvss'];
}

function issueOf({
  plugin,
  name,
  host,
  port,
  protocol,
  output,
  description,
  synopsis,
  ...rest
}: Plugin): Issue {
  // Web App Scanning names the page and the input in its text.
  const [, page] = /\b(?:on|at) URL '([^'\s]+)'/.exec(output ?? '') ?? [];
  const [, kind, element] = /'([\w -]{1,30})' element named '([^'\n]{1,200})'/.exec(output ?? '') ?? [];
  const service = formatService(host, port, protocol);
  return {
    identity: [
      plugin,
      hostIdentity(host),
      port === '0' ? undefined : port,
      protocol?.toLowerCase(),
      page && addressIdentity(page),
      kind,
      element,
    ],
    title: `${name} (${page ? shownAddress(page) : service})`,
    rule_id: plugin,
    severity: rest.severity,
    what: escapeMarkdown(
      [synopsis, description]
        .map((part) => unwrap(part))
        .filter((part, i, all) => part && all.indexOf(part) === i)
        .join('\n\n'),
    ),
    facts: {
      Plugin: plugin,
      Family: rest.family,
      Host: host,
      IP: rest.address === host ? undefined : rest.address,
      Repository: rest.repository,
      Port: port === '0' ? undefined : joined([port, protocol?.toLowerCase()], '/'),
      Service: rest.service,
      Element: kind && `${kind} ${element}`,
    },
    evidence: output,
    fix: /^n\/?a$/i.test(rest.solution?.trim() ?? '') ? undefined : escapeMarkdown(unwrap(rest.solution)),
    references: [
      ...rest.references,
      /^\d+$/.test(plugin) ? `https://www.tenable.com/plugins/nessus/${plugin}` : undefined,
    ],
    cwe: rest.cwe,
    cves: rest.cves,
    cvss: rest.cvss,
  };
}

/** Joins the lines of a paragraph, which Nessus wraps at 70 characters. */
const unwrap = (text: string | undefined) =>
  (text ?? '')
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .replace(/(?<=[^\n:.])\n(?=[a-z(0-9])/g, ' ')
    .trim();
