import { z } from 'zod';
import type { Rating } from '../finding.ts';
import { type ImportContext, type Report, readList } from '../importer.ts';
import { cvesIn, formatService, hostIdentity, type Issue, statedCvss } from '../kinds/issues.ts';
import { rootOf } from '../read/report.ts';
import { anything, fields, requiredText, text, textAt } from '../read/schema.ts';
import { elementAt, elements, isObject } from '../read/values.ts';
import { LEVELS, severityOf } from '../support.ts';
import { htmlLines, htmlMarkdown, linksIn } from '../text/html.ts';
import { joined } from '../text/markdown.ts';

const CveList = z.preprocess(
  (value) =>
    elements(isObject(value) ? value : [value].flat()[0], 'CVE_ID').map((cve) =>
      String([cve.ID ?? cve['#text']].flat()[0]),
    ),
  z.array(z.string()),
);

/** A detection in an asset data report, whose texts are in the glossary. */
const Detection = z.object({
  QID: requiredText,
  ...fields(text, 'TYPE', 'PORT', 'PROTOCOL', 'SERVICE', 'INSTANCE', 'RESULT', 'VULN_STATUS'),
});

/** An entry of the glossary, and a result of a scan report. */
const Details = z.object({
  ...fields(text, 'QID', '@_number', '@_severity', '@_cveid', 'TITLE', 'SEVERITY', 'CATEGORY', 'THREAT'),
  ...fields(text, 'DIAGNOSIS', 'IMPACT', 'CONSEQUENCE', 'SOLUTION', 'RESULT', 'CVSS3_BASE', 'CVSS_BASE'),
  CVE_ID_LIST: CveList,
  ...fields(anything, 'VENDOR_REFERENCE_LIST', 'CVSS3_SCORE', 'CVSS_SCORE'),
});

/** An asset data report. */
export function assetIssues(report: Report, context: ImportContext): Issue[] {
  const root = rootOf(report, 'ASSET_DATA_REPORT');
  const glossary = elements(root, 'GLOSSARY', 'VULN_DETAILS_LIST', 'VULN_DETAILS');
  const details = new Map(
    readList(Details, glossary, 'GLOSSARY', context).map((entry) => [entry.QID?.trim() ?? '', entry]),
  );
  return elements(root, 'HOST_LIST', 'HOST').flatMap((host, index) => {
    const found = elements(host, 'VULN_INFO_LIST', 'VULN_INFO');
    const ip = textAt(host, 'IP');
    return readList(Detection, found, `HOST_LIST.${index}`, context).flatMap((detection) => {
      if (isFixed(detection.VULN_STATUS, context)) return [];
      const entry = details.get(detection.QID.trim());
      const isInformation = /^ig$/i.test(detection.TYPE?.trim() ?? '');
      return toIssue({
        ...describe(entry),
        qid: detection.QID.trim(),
        host: textAt(host, 'DNS') || ip || '',
        ip,
        system: textAt(host, 'OPERATING_SYSTEM'),
        port: detection.PORT,
        protocol: detection.PROTOCOL,
        service: detection.SERVICE,
        instance: detection.INSTANCE,
        severity: isInformation ? 'info' : levelOf(entry?.SEVERITY),
        result: detection.RESULT,
        status: detection.VULN_STATUS,
        kind: isInformation
          ? 'Information gathered'
          : /^practice$/i.test(detection.TYPE ?? '')
            ? 'Potential'
            : undefined,
      });
    });
  });
}

/** The lists of a scan report with the elements in their categories. */
const SCAN_LISTS = [
  ['VULNS', 'VULN', undefined],
  ['PRACTICES', 'PRACTICE', 'Potential'],
  ['INFOS', 'INFO', 'Information gathered'],
  ['SERVICES', 'SERVICE', 'Information gathered'],
] as const;

/** A scan report. */
export function scanIssues(report: Report, context: ImportContext): Issue[] {
  const root = rootOf(report, 'SCAN');
  const status = elements(root, 'HEADER', 'KEY').find((key) => key['@_value'] === 'STATUS')?.['#text'];
  if (typeof status === 'string' && !/^finished$/i.test(status))
    context.error(`The scan is not complete: ${status}`);
  for (const problem of elements(root, 'ERROR'))
    context.error(`Qualys: ${String(problem['#text'] ?? 'error')}`);
  return elements(root, 'IP').flatMap((host) =>
    SCAN_LISTS.flatMap(([list, name, kind]) =>
      elements(host, list, 'CAT').flatMap((category, index) =>
        readList(Details, elements(category, name), `${list}.${index}`, context).map((found) => {
          const [ip, hostName] = [String(host['@_value'] ?? ''), String(host['@_name'] ?? '')];
          return toIssue({
            ...describe(found),
            qid: found['@_number'] ?? '',
            host: hostName && !/^No registered hostname$/i.test(hostName) ? hostName : ip,
            ip,
            system: textAt(host, 'OS'),
            port: textAt(category, '@_port'),
            protocol: textAt(category, '@_protocol'),
            category: textAt(category, '@_value'),
            severity: kind === 'Information gathered' ? 'info' : levelOf(found['@_severity']),
            cves: cvesIn(found['@_cveid'], ...found.CVE_ID_LIST),
            result: found.RESULT,
            kind,
          });
        }),
      ),
    ),
  );
}

/** Describes a QID from the glossary and from scan reports. */
function describe(details: z.output<typeof Details> | undefined) {
  const [v3, v2] = [elementAt(details, 'CVSS3_SCORE'), elementAt(details, 'CVSS_SCORE')].map((score) =>
    Base.parse(score ?? {}),
  );
  const base3 = details?.CVSS3_BASE ?? v3?.CVSS3_BASE;
  const base2 = details?.CVSS_BASE ?? v2?.CVSS_BASE;
  return {
    title: details?.TITLE,
    category: details?.CATEGORY,
    threat: details?.THREAT ?? details?.DIAGNOSIS,
    impact: details?.IMPACT ?? details?.CONSEQUENCE,
    solution: details?.SOLUTION,
    cves: cvesIn(...(details?.CVE_ID_LIST ?? [])),
    cvss:
      statedCvss(v3?.CVSS3_VECTOR ?? base3, scoreOf(base3)) ??
      statedCvss(v2?.CVSS_VECTOR ?? base2, scoreOf(base2)),
    references: elements([details?.VENDOR_REFERENCE_LIST].flat()[0], 'VENDOR_REFERENCE').flatMap(
      (reference) => linksIn(textAt(reference, 'URL')),
    ),
  };
}

const Base = z.object({ CVSS3_BASE: text, CVSS3_VECTOR: text, CVSS_BASE: text, CVSS_VECTOR: text });

/** A detection, whatever the layout of the report. */
export interface Found {
  qid: string;
  title?: string | undefined;
  host: string;
  ip?: string | undefined;
  system?: string | undefined;
  port?: string | undefined;
  protocol?: string | undefined;
  service?: string | undefined;
  instance?: string | undefined;
  category?: string | undefined;
  severity: Rating;
  threat?: string | undefined;
  impact?: string | undefined;
  solution?: string | undefined;
  result?: string | undefined;
  status?: string | undefined;
  kind?: string | undefined;
  cves: string[];
  cvss?: Issue['cvss'];
  references: string[];
}

export function toIssue({ qid, title = `QID ${qid}`, host, ...found }: Found): Issue {
  const port = /^\d+$/.test(found.port ?? '') && found.port !== '0' ? found.port : undefined;
  const protocol = port && found.protocol ? found.protocol.toLowerCase() : undefined;
  const stated = (text: string | undefined) => (/^n\/?a$/i.test(text?.trim() ?? '') ? undefined : text);
  return {
    identity: [qid, hostIdentity(host), port, protocol, found.instance?.trim() || undefined],
    title: `${title} (${formatService(host, port, protocol)})`,
    rule_id: qid,
    severity: found.severity,
    what: joined(
      [found.threat, found.impact].map((part) => htmlMarkdown(stated(part))),
      '\n\n',
    ),
    facts: {
      QID: qid,
      Category: found.category,
      Host: host,
      IP: found.ip === host ? undefined : found.ip,
      'Operating system': found.system,
      Port: port && joined([port, protocol], '/'),
      Service: found.service,
      Instance: found.instance,
      Detection: found.kind,
      Status: found.status,
    },
    evidence: /<br>|<p>/i.test(found.result ?? '') ? htmlLines(found.result) : found.result,
    fix: htmlMarkdown(stated(found.solution)),
    references: [...found.references, ...linksIn(found.solution)],
    cves: found.cves,
    cvss: found.cvss,
  };
}

/** Counts detections that are fixed. */
export function isFixed(status: string | undefined, context: ImportContext): boolean {
  const fixed = /^fixed$/i.test(status?.trim() ?? '');
  if (fixed) context.skip('they are fixed');
  return fixed;
}

export const levelOf = (level: string | undefined): Rating => LEVELS[Number(level) - 1] ?? severityOf(level);

/** `8.1 (AV:N/…)` */
export const scoreOf = (value: string | undefined) => {
  const [found] = /^\d{1,2}(?:\.\d+)?/.exec(value ?? '') ?? [];
  return found ? Number(found) : undefined;
};
