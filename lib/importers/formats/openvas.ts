import { z } from 'zod';
import type { Rating } from '../finding.ts';
import { type ImportContext, type Importer, type Report, readList } from '../importer.ts';
import { cvesIn, formatService, hostIdentity, type Issue, resultsOf, statedCvss } from '../kinds/issues.ts';
import { type Cell, cellOf, hasColumns, hasRoot, rootOf, rowsWith } from '../read/report.ts';
import { anything, fields, number, requiredText, text, textAt } from '../read/schema.ts';
import { elementAt, elements } from '../read/values.ts';
import { cweOf, severityOf, severityOfScore } from '../support.ts';
import { linksIn } from '../text/html.ts';
import { escapeMarkdown, joined } from '../text/markdown.ts';

const Host = z.object({ '#text': text, hostname: text, asset: anything });

const XmlResult = z.object({
  ...fields(text, 'name', 'port', 'threat', 'description'),
  host: anything,
  nvt: anything,
  severity: number,
});

const Nvt = z.object({
  ...fields(text, '@_oid', 'name', 'family', 'tags', 'cve', 'solution', 'xref'),
  cvss_base: number,
});

const Row = z.object({
  oid: requiredText,
  host: requiredText,
  cell: z.custom<Cell>((value) => typeof value === 'function'),
});

const COLUMNS = ['IP', 'NVT Name', 'NVT OID', 'Severity'];

/** Reports of OpenVAS and Greenbone in XML and CSV. */
export const openvas: Importer = {
  name: 'openvas',
  about: {
    tool: '[OpenVAS](https://www.greenbone.net) and Greenbone',
    command: '*Scans > Reports > Download > XML* or *CSV Results*, or `gvm-cli … --xml "<get_reports …/>"`',
    versions: 'GMP 9.0 and 22.6, XML; CSV names no version',
    identity: 'test (OID), host, port and protocol',
    severity: 'CVSS, rated as CVSS v3.1 does, or `threat`; logs as info',
  },

  detects: (report) =>
    hasColumns(report, ...COLUMNS) ||
    hasRoot(report, 'get_reports_response', 'get_results_response') ||
    (hasRoot(report, 'report') &&
      reportsIn(report).some((found) => RESULT_ELEMENTS.some((name) => name in found))),

  results(report, context) {
    return resultsOf(
      'openvas',
      report.kind === 'csv' ? csvIssues(report, context) : xmlIssues(report, context),
      context,
    );
  },
};

const RESULT_ELEMENTS = ['gmp', 'omp', 'scan_run_status'];

/** The inner reports: a report has one, a response several. */
function reportsIn(report: Report): Record<string, unknown>[] {
  const root = rootOf(report, 'report', 'get_reports_response', 'get_results_response');
  const outer =
    report.kind === 'xml' && report.root === 'get_reports_response' ? elements(root, 'report') : [root];
  return outer.flatMap((one) => {
    const inner = elements(one, 'report');
    return inner.length > 0 ? inner : [one];
  });
}

function xmlIssues(report: Report, context: ImportContext): Issue[] {
  return reportsIn(report).flatMap((found, index) => {
    const status = textAt(found, 'scan_run_status');
    if (status && !/^done$/i.test(status)) context.error(`The scan is not complete: ${status}`);
    for (const error of elements(found, 'errors', 'error')) {
      const [host, port, description] = ['host', 'port', 'description'].map((name) => textAt(error, name));
      context.error(`${joined([host, port], ' ')}: ${description ?? 'error without a description'}`);
    }
    const results = elements(elementAt(found, 'results') ?? found, 'result');
    return readList(XmlResult, results, `report.${index}.results`, context).flatMap((result) => {
      const nvt = Nvt.parse(elementAt(result, 'nvt') ?? {});
      const host = hostOf(result.host);
      const tags = tagsOf(nvt.tags);
      const oid = nvt['@_oid'] || result.name || nvt.name;
      if (!oid) {
        context.error('A result has neither a test nor a name');
        return [];
      }
      const refs = elements(result, 'nvt', 'refs', 'ref');
      const urls = refs.filter((ref) => ref['@_type'] === 'url').map((ref) => String(ref['@_id'] ?? ''));
      const score = result.severity ?? nvt.cvss_base;
      return issueOf({
        oid,
        name: result.name || nvt.name || oid,
        family: nvt.family,
        ...host,
        port: result.port,
        severity: ratingOf(score, result.threat, context),
        summary: tags.get('summary'),
        insight: [tags.get('insight'), tags.get('impact')],
        affected: tags.get('affected'),
        solution: nvt.solution || tags.get('solution'),
        output: result.description,
        urls: [...urls, ...linksIn(nvt.xref)],
        cves: cvesIn(nvt.cve, ...refs.map((ref) => String(ref['@_id'] ?? ''))),
        vector: tags.get('cvss_base_vector'),
        score,
      });
    });
  });
}

function hostOf(element: unknown): { host: string; hostName: string | undefined } {
  const [only] = elements({ element }, 'element');
  const { '#text': host = '', hostname } = Host.parse(only ?? {});
  return { host: host.trim(), hostName: hostname?.trim() || undefined };
}

/** `summary=…|insight=…` */
const tagsOf = (tags: string | undefined): Map<string, string> =>
  new Map(
    (tags ?? '').split('|').map((tag) => {
      const at = tag.indexOf('=');
      return [tag.slice(0, at), tag.slice(at + 1)] as const;
    }),
  );

function csvIssues(report: Report, context: ImportContext): Issue[] {
  const rows = rowsWith(report, COLUMNS).map((row) => {
    const cell = cellOf(row);
    return { oid: cell('NVT OID', 'NVT Name'), host: cell('IP', 'Hostname'), cell };
  });
  return readList(Row, rows, 'rows', context).map(({ oid, host, cell }) => {
    const score = cell('CVSS') ? Number(cell('CVSS')) : undefined;
    return issueOf({
      oid,
      name: cell('NVT Name') ?? oid,
      host,
      hostName: cell('Hostname'),
      port: joined([cell('Port') ?? 'general', cell('Port Protocol')], '/'),
      severity: ratingOf(score, cell('Severity'), context),
      summary: cell('Summary'),
      insight: [cell('Vulnerability Insight'), cell('Impact')],
      affected: cell('Affected Software/OS'),
      solution: cell('Solution'),
      output: cell('Specific Result'),
      urls: linksIn(cell('Other References')),
      cves: cvesIn(cell('CVEs')),
      vector: undefined,
      score,
    });
  });
}

/** Joins the lines of each paragraph; lists and empty lines stay. */
const joinLines = (value: string | undefined) =>
  (value ?? '')
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .replace(/(?<=\S)\n(?=[^\s•-])/g, ' ')
    .trim();

/** The rating of a score, because OpenVAS has no critical threat before version 22.4. Other threats are no scores. */
function ratingOf(score: number | undefined, threat: string | undefined, context: ImportContext): Rating {
  if (/^error$/i.test(threat ?? '')) context.warn('OpenVAS could not run a test: see the finding');
  if (score !== undefined && score >= 0 && score <= 10) return severityOfScore(score, 'medium');
  return /^(?:log|debug|alarm|error|false positive)$/i.test(threat ?? '') ? 'info' : severityOf(threat);
}

interface Found {
  oid: string;
  name: string;
  family?: string | undefined;
  host: string;
  hostName: string | undefined;
  /** `443/tcp` or `general/tcp` */
  port: string | undefined;
  severity: Rating;
  summary: string | undefined;
  insight: (string | undefined)[];
  affected: string | undefined;
  solution: string | undefined;
  output: string | undefined;
  urls: string[];
  cves: string[];
  vector: string | undefined;
  score: number | undefined;
}

function issueOf({ oid, name, host, hostName, ...found }: Found): Issue {
  const [, port, protocol] = /^(\d{1,5})\/(\w+)$/.exec(found.port?.trim() ?? '') ?? [];
  return {
    identity: [oid, hostIdentity(hostName ?? host), found.port?.trim().toLowerCase()],
    title: `${name} (${formatService(hostName ?? host, port, protocol)})`,
    rule_id: oid,
    severity: found.severity,
    what: joined(
      [found.summary, ...found.insight].map((part) => escapeMarkdown(joinLines(part))),
      '\n\n',
    ),
    facts: {
      Test: oid,
      Family: found.family,
      Host: hostName ?? host,
      IP: hostName ? host : undefined,
      Port: found.port,
      Affected: joinLines(found.affected),
    },
    evidence: found.output,
    fix: escapeMarkdown(joinLines(found.solution)),
    references: found.urls,
    cwe: cweOf(/\bCWE-\d+/.exec(found.insight.join(' '))?.[0]),
    cves: found.cves,
    cvss: statedCvss(found.vector, found.score && found.score > 0 ? found.score : undefined),
  };
}
