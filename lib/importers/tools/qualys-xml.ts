import { z } from 'zod';
import { type ImportContext, type Report, readList } from '../importer.ts';
import { cvesIn, type Issue, statedCvss } from '../kinds/issues.ts';
import { rootOf } from '../read/report.ts';
import { anything, fields, requiredText, text } from '../read/schema.ts';
import { elementAt, elements, isObject } from '../read/values.ts';
import { linksIn } from '../text/html.ts';
import { isFixed, levelOf, scoreOf, toIssue } from './qualys-issue.ts';

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
    const { IP, DNS, OPERATING_SYSTEM } = HostOf.parse(host);
    return readList(Detection, found, `HOST_LIST.${index}`, context).flatMap((detection) => {
      if (isFixed(detection.VULN_STATUS, context)) return [];
      const entry = details.get(detection.QID.trim());
      const isInformation = /^ig$/i.test(detection.TYPE?.trim() ?? '');
      return toIssue({
        ...describe(entry),
        qid: detection.QID.trim(),
        host: DNS || IP || '',
        ip: IP,
        system: OPERATING_SYSTEM,
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

const HostOf = z.object({ IP: text, DNS: text, OPERATING_SYSTEM: text });

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
            system: OsOf.parse(host).OS,
            port: PortOf.parse(category)['@_port'],
            protocol: PortOf.parse(category)['@_protocol'],
            category: PortOf.parse(category)['@_value'],
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

const OsOf = z.object({ OS: text });
const PortOf = z.object({ '@_port': text, '@_protocol': text, '@_value': text });

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
      (reference) => linksIn(UrlOf.parse(reference).URL),
    ),
  };
}

const Base = z.object({ CVSS3_BASE: text, CVSS3_VECTOR: text, CVSS_BASE: text, CVSS_VECTOR: text });
const UrlOf = z.object({ URL: text });
