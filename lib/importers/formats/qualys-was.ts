import { z } from 'zod';
import { type ImportContext, type Importer, type Report, readList } from '../importer.ts';
import { addressIdentity, cvesIn, type Issue, resultsOf, shownAddress, statedCvss } from '../kinds/issues.ts';
import { hasRoot, rootOf } from '../read/report.ts';
import { anything, fields, flag, number, requiredText, text, textAt, texts } from '../read/schema.ts';
import { elementAt, elements } from '../read/values.ts';
import { cweOf } from '../support.ts';
import { htmlMarkdown, linksIn } from '../text/html.ts';
import { inlineCode, joined } from '../text/markdown.ts';
import { levelOf } from '../tools/qualys-xml.ts';

const Detection = z.object({
  QID: requiredText,
  ...fields(text, 'URL', 'PARAM', 'FORM_ENTRY_POINT', 'AUTHENTICATION', 'STATUS', 'WEBAPP'),
  WEB_APPLICATION: text,
  ...fields(anything, 'DATA', 'PAYLOADS'),
  POTENTIAL: flag,
  IGNORED: flag,
});
type Detection = z.output<typeof Detection>;

const Details = z.object({
  QID: requiredText,
  ...fields(text, 'CATEGORY', 'SEVERITY', 'TITLE', 'GROUP', 'DESCRIPTION', 'IMPACT', 'SOLUTION'),
  ...fields(texts, 'OWASP', 'WASC', 'CWE'),
  CVSS_BASE: number,
  CVSS3: anything,
});
type Details = z.output<typeof Details>;

/** Reports of Qualys Web Application Scanning. */
export const qualysWas: Importer = {
  name: 'qualys-was',
  about: {
    tool: '[Qualys WAS](https://www.qualys.com/apps/web-app-scanning/)',
    command: '*Reports > New Report > Scan Report* or *Web Application Report > XML*',
    versions: 'scan reports of WAS 7',
    identity:
      'QID, address, names of the query parameters, parameter; for information gathered QID and web application',
    severity: '`SEVERITY` 5 to 1 as critical to info; information gathered as info',
  },

  detects: (report) => hasRoot(report, 'WAS_SCAN_REPORT', 'WAS_WEBAPP_REPORT'),

  results(report, context) {
    const root = rootOf(report, 'WAS_SCAN_REPORT', 'WAS_WEBAPP_REPORT');
    const glossary = elements(root, 'GLOSSARY', 'QID_LIST', 'QID');
    const details = new Map(
      readList(Details, glossary, 'GLOSSARY', context).map((entry) => [entry.QID.trim(), entry]),
    );
    reportScans(root, context);
    return resultsOf(
      'qualys-was',
      LISTS.flatMap(([list, name]) => detectionsOf(root, list, name, context, details, report)),
      context,
    );
  },
};

const LISTS = [
  ['VULNERABILITY_LIST', 'VULNERABILITY'],
  ['SENSITIVE_CONTENT_LIST', 'SENSITIVE_CONTENT'],
  ['INFORMATION_GATHERED_LIST', 'INFORMATION_GATHERED'],
] as const;

function detectionsOf(
  root: Record<string, unknown>,
  list: string,
  name: string,
  context: ImportContext,
  details: Map<string, Details>,
  report: Report,
): Issue[] {
  const results = elementAt(root, 'RESULTS');
  // Reports on web applications group the lists by application.
  const parents = [results, ...elements(results, 'WEB_APPLICATION')];
  const site = siteOf(root, report);
  return parents.flatMap((parent) =>
    readList(Detection, elements(parent, list, name), list, context).flatMap((detection) => {
      if (detection.IGNORED) context.skip('they are ignored in Qualys');
      else if (/^fixed$/i.test(detection.STATUS ?? '')) context.skip('they are fixed');
      else
        return toIssue(detection, details.get(detection.QID.trim()), name === 'INFORMATION_GATHERED', site);
      return [];
    }),
  );
}

/** The address of the web application, if the report has one. */
function siteOf(root: Record<string, unknown>, report: Report): string | undefined {
  const applications = elements(root, 'APPENDIX', 'WEBAPP');
  return hasRoot(report, 'WAS_SCAN_REPORT') && applications.length === 1
    ? textAt(applications[0], 'URL')
    : undefined;
}

const ScanOf = z.object({ NAME: text, STATUS: text, AUTHENTICATION_STATUS: text });

/** Records scans that did not finish or could not sign in. */
function reportScans(root: Record<string, unknown>, context: ImportContext) {
  for (const scan of elements(root, 'APPENDIX', 'SCAN_LIST', 'SCAN')) {
    const { NAME = 'A scan', STATUS, AUTHENTICATION_STATUS } = ScanOf.parse(scan);
    if (STATUS && !/^finished$/i.test(STATUS)) context.error(`${NAME} is not complete: ${STATUS}`);
    if (/^(?:failed|partial)/i.test(AUTHENTICATION_STATUS ?? ''))
      context.error(`${NAME}: authentication ${AUTHENTICATION_STATUS?.toLowerCase()}`);
  }
}

function toIssue(
  detection: Detection,
  details: Details | undefined,
  isInformation: boolean,
  site: string | undefined,
): Issue {
  const { QID, URL: url, PARAM: parameter } = detection;
  const title = details?.TITLE ?? `QID ${QID}`;
  const target = detection.WEBAPP ?? detection.WEB_APPLICATION ?? site;
  const page = shownAddress(url ?? target);
  const payload = elements(detection, 'PAYLOADS', 'PAYLOAD')[0];
  const request = elementAt(payload, 'REQUEST');
  const cvss3 = Cvss3.parse(elementAt(details, 'CVSS3') ?? {});
  return {
    identity: [QID.trim(), url ? addressIdentity(url) : target, parameter],
    title: `${title}${page && ` (${page}${parameter ? `, ${parameter}` : ''})`}`,
    rule_id: QID.trim(),
    severity: isInformation ? 'info' : levelOf(details?.SEVERITY),
    what: joined(
      [details?.DESCRIPTION, details?.IMPACT].map((part) => htmlMarkdown(stated(part))),
      '\n\n',
    ),
    facts: {
      QID,
      Category: details?.CATEGORY,
      Group: details?.GROUP,
      Parameter: parameter,
      'Form entry point': shownAddress(detection.FORM_ENTRY_POINT),
      Authentication: detection.AUTHENTICATION,
      Detection: isInformation ? 'Information gathered' : detection.POTENTIAL ? 'Potential' : undefined,
      OWASP: details?.OWASP.join(', '),
      WASC: details?.WASC.join(', '),
    },
    places: url ? [inlineCode(shownAddress(url))] : [],
    evidence: request ? requestOf(request) : decode(detection.DATA),
    fix: htmlMarkdown(stated(details?.SOLUTION)),
    references: [...linksIn(details?.DESCRIPTION), ...linksIn(details?.SOLUTION)],
    cwe: cweOf(...(details?.CWE ?? [])),
    cves: cvesIn(title, details?.DESCRIPTION),
    cvss: statedCvss(
      cvss3.VECTOR ?? cvss3.CVSS3_VECTOR,
      cvss3.BASE ?? cvss3.CVSS3_BASE ?? details?.CVSS_BASE,
    ),
  };
}

const Cvss3 = z.object({ VECTOR: text, BASE: number, CVSS3_VECTOR: text, CVSS3_BASE: number });
const Request = z.object({ METHOD: text, URL: text, BODY: text });

const stated = (value: string | undefined) => (/^n\/?a$/i.test(value?.trim() ?? '') ? undefined : value);

function requestOf(request: Record<string, unknown>): string {
  const { METHOD = 'GET', URL: url, BODY } = Request.parse(request);
  const headers = elements(request, 'HEADERS', 'HEADER').map(
    (header) => `${textAt(header, 'key')}: ${textAt(header, 'value')}`,
  );
  return [`${METHOD} ${shownAddress(url)}`, ...headers, ...(BODY ? ['', BODY] : [])].join('\n');
}

/** Text that may be in Base64. */
function decode(data: unknown): string | undefined {
  const [element] = elements({ data }, 'data');
  const content = element?.['#text'];
  if (typeof content !== 'string') return undefined;
  return element?.['@_base64'] === 'true'
    ? Buffer.from(content.slice(0, MAX_ENCODED), 'base64').toString('latin1')
    : content;
}

const MAX_ENCODED = 8_000;
