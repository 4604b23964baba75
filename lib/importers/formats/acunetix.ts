import { z } from 'zod';
import { type Importer, open, readList } from '../importer.ts';
import { addressIdentity, cvesIn, type Issue, resultsOf, shownAddress, statedCvss } from '../kinds/issues.ts';
import { hasRoot, rootOf } from '../read/report.ts';
import { anything, fields, flag, number, requiredText, text, textAt } from '../read/schema.ts';
import { elementAt, elements } from '../read/values.ts';
import { onlyName, siteName } from '../scanned.ts';
import { cweOf, severityOf } from '../support.ts';
import { maskCredentials } from '../text/credentials.ts';
import { htmlLines, htmlMarkdown } from '../text/html.ts';
import { inlineCode, joined } from '../text/markdown.ts';

const Item = z.object({
  Name: requiredText,
  ...fields(text, 'ModuleName', 'Details', 'Affects', 'Parameter', 'Severity', 'Type', 'Impact'),
  ...fields(text, 'Description', 'DetailedInformation', 'Recommendation'),
  IsFalsePositive: flag,
  ...fields(anything, 'TechnicalDetails', 'CWEList', 'CVEList', 'CVSS', 'CVSS3', 'References'),
});
type Item = z.output<typeof Item>;

const Scan = z.object({ StartURL: text, Aborted: flag, Responsive: flag });
const Score = z.object({ Descriptor: text, Score: number });

/** XML of Acunetix. The JSON of Acunetix 360 has the format of Invicti. */
export const acunetix: Importer = {
  name: 'acunetix',
  about: {
    tool: '[Acunetix](https://www.acunetix.com)',
    command: '*Scans > Export > XML*',
    versions: 'the report names no version: XML of 2018 and 2020',
    identity: 'vulnerability, site, path, names of the query parameters, parameter',
    severity: '`Severity`',
  },

  detects: (report) =>
    hasRoot(report, 'ScanGroup') && elementAt(rootOf(report, 'ScanGroup'), 'Scan') !== undefined,

  category: (report) =>
    onlyName(elements(rootOf(report, 'ScanGroup'), 'Scan').map((scan) => siteName(textAt(scan, 'StartURL')))),

  results(report, context) {
    const issues = elements(rootOf(report, 'ScanGroup'), 'Scan').flatMap((element, index) => {
      const scan = Scan.parse(element);
      if (scan.Aborted) context.error(`The scan of ${shownAddress(scan.StartURL)} was aborted`);
      if (scan.Responsive === false) context.error(`${shownAddress(scan.StartURL)} did not respond`);
      const items = elements(element, 'ReportItems', 'ReportItem');
      return open(
        readList(Item, items, `Scan.${index}.ReportItems`, context),
        ({ IsFalsePositive }) => IsFalsePositive && 'they are marked as false positives',
        context,
      ).map((item) => toIssue(item, scan.StartURL ?? ''));
    });
    return resultsOf('acunetix', issues, context);
  },
};

function toIssue(item: Item, start: string): Issue {
  const page = addressOf(start, item.Affects);
  const parameter = item.Parameter?.trim() || undefined;
  const [v3, v2] = [item.CVSS3, item.CVSS].map((score) => Score.parse(elementAt({ score }, 'score') ?? {}));
  const textsIn = (list: unknown, name: string) =>
    elements({ list }, 'list', name).flatMap((one) => [
      String(one['#text'] ?? ''),
      String(one['@_id'] ?? ''),
    ]);
  const shown = shownAddress(page);
  return {
    identity: [item.Name, addressIdentity(page), parameter],
    title: `${item.Name} (${shown}${parameter ? `, ${parameter}` : ''})`,
    rule_id: item.Name,
    severity: severityOf(item.Severity),
    what: joined([item.Description, item.DetailedInformation, item.Impact].map(htmlMarkdown), '\n\n'),
    facts: { Parameter: parameter, Type: item.Type, Module: item.ModuleName },
    places: [
      joined(
        [inlineCode(shown), htmlMarkdown(maskCredentials(htmlLines(item.Details))).replace(/\s+/g, ' ')],
        ', ',
      ),
    ],
    evidence: textAt({ details: item.TechnicalDetails }, 'details', 'Request'),
    fix: htmlMarkdown(item.Recommendation),
    references: elements({ list: item.References }, 'list', 'Reference').map((one) => textAt(one, 'URL')),
    cwe: cweOf(...textsIn(item.CWEList, 'CWE').filter((id) => id.startsWith('CWE-'))),
    cves: cvesIn(...textsIn(item.CVEList, 'CVE')),
    cvss: statedCvss(v3?.Descriptor, v3?.Score) ?? statedCvss(v2?.Descriptor, v2?.Score),
  };
}

/** The address of a page. `Affects` is a path, an address, or `Web Server`. */
function addressOf(start: string, affects = ''): string {
  if (/^https?:\/\//i.test(affects)) return affects;
  const site = (/^[a-z][\w+.-]*:\/\//i.test(start) ? start : `http://${start}`).replace(
    /^([a-z][\w+.-]*:\/\/[^/?#]*).*$/is,
    '$1',
  );
  return affects.startsWith('/') ? `${site}${affects}` : `${site}/`;
}
