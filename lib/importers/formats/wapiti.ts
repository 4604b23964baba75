import { z } from 'zod';
import { type Importer, readList } from '../importer.ts';
import { addressIdentity, cvesIn, type Issue, resultsOf, shownAddress } from '../kinds/issues.ts';
import { hasRoot, rootOf } from '../read/report.ts';
import { fields, requiredText, text } from '../read/schema.ts';
import { elementAt, elements } from '../read/values.ts';
import { cweOf, severityOfLevel } from '../support.ts';
import { maskCredentials } from '../text/credentials.ts';
import { escapeMarkdown, inlineCode, joined } from '../text/markdown.ts';

const Category = z.object({ '@_name': requiredText, description: text, solution: text });
const Reference = z.object({ title: text, url: text });
const Entry = z.object({
  ...fields(text, 'method', 'path', 'parameter', 'info', 'http_request'),
  level: text,
});

/** XML of Wapiti. */
export const wapiti: Importer = {
  name: 'wapiti',
  about: {
    tool: '[Wapiti](https://wapiti-scanner.github.io)',
    command: '`wapiti -u https://… -f xml -o report.xml`',
    versions: '3.0.4',
    identity:
      'category, method, address, names of the query parameters, parameter (or the message without one)',
    severity: '`level` 4 to 0 as critical to info',
  },

  detects: (report) =>
    hasRoot(report, 'report') &&
    rootOf(report, 'report')['@_type'] === 'security' &&
    elementAt(rootOf(report, 'report'), 'report_infos') !== undefined,

  results(report, context) {
    const root = rootOf(report, 'report');
    const target = elements(root, 'report_infos', 'info').find((info) => info['@_name'] === 'target');
    const origin = /^https?:\/\/[^/?#]+/i.exec(String(target?.['#text'] ?? ''))?.[0] ?? '';
    const issues = SECTIONS.flatMap(([section, name]) =>
      elements(root, section, name).flatMap((element, index) => {
        const position = `${section}.${index}`;
        return readList(Category, [element], position, context).flatMap((category) => {
          const references = elements(element, 'references', 'reference').map((one) => Reference.parse(one));
          const entries = elements(element, 'entries', 'entry');
          return readList(Entry, entries, `${position}.entries`, context).map((entry) =>
            toIssue(category, entry, references, origin),
          );
        });
      }),
    );
    return resultsOf('wapiti', issues, context);
  },
};

const SECTIONS = [
  ['vulnerabilities', 'vulnerability'],
  ['anomalies', 'anomaly'],
  ['additionals', 'additional'],
] as const;

function toIssue(
  { '@_name': name, description, solution }: z.output<typeof Category>,
  { method, path = '', level, parameter, info, http_request: request }: z.output<typeof Entry>,
  references: z.output<typeof Reference>[],
  origin: string,
): Issue {
  const address = /^https?:\/\//i.test(path) ? path : `${origin}${path}`;
  const [page, input] = [shownAddress(address), parameter?.trim() || undefined];
  return {
    identity: [name, method, addressIdentity(address), input ?? info],
    title: `${name}${page && ` (${page}${input ? `, ${input}` : ''})`}`,
    rule_id: name,
    severity: severityOfLevel(level),
    what: escapeMarkdown(joined([description, info && maskCredentials(info)], '\n\n')),
    facts: { Category: name, Parameter: input },
    places: [inlineCode(`${method ?? 'GET'} ${page}`)],
    evidence: request,
    fix: escapeMarkdown(solution ?? ''),
    references: references.map(({ url }) => url),
    cwe: cweOf(...references.map(({ title }) => /^CWE-\d+/.exec(title ?? '')?.[0])),
    cves: cvesIn(info),
  };
}
