import { z } from 'zod';
import { fingerprintOf } from '../../identity.ts';
import { type Importer, type Report, read } from '../../importer.ts';
import { describeFinding, escapeMarkdown, toStrings } from '../../markdown.ts';
import { isSecretRule, mask, maskCredentials } from '../../secrets.ts';
import {
  collapseWhitespace,
  cveOf,
  cvssOf,
  cweOf,
  relativePath,
  severityOf,
  severityOfScore,
} from '../../support.ts';

const text = z.string().nullish();
// The type depends on the version of nuclei.
const stringOrList = z.union([z.string(), z.array(z.string())]).nullish();

const Event = z.object({
  'template-id': text,
  templateID: text,
  'template-path': text,
  template: text,
  'template-url': text,
  info: z.object({
    name: text,
    severity: text,
    description: text,
    impact: text,
    remediation: text,
    reference: stringOrList,
    tags: stringOrList,
    classification: z
      .object({
        'cve-id': stringOrList,
        'cwe-id': stringOrList,
        'cvss-metrics': text,
        'cvss-score': z.number().nullish(),
      })
      .nullish(),
  }),
  type: text,
  'matcher-name': text,
  matcher_name: text,
  'extractor-name': text,
  'matcher-status': z.boolean().nullish(),
  'matched-at': text,
  matched: text,
  host: text,
  url: text,
  ip: text,
  port: z.union([z.string(), z.number()]).nullish(),
  'extracted-results': stringOrList,
  extracted_results: stringOrList,
  'matched-line': z.array(z.number()).nullish(),
  meta: z.record(z.string(), z.unknown()).nullish(),
  'curl-command': text,
  fuzzing_method: text,
  fuzzing_parameter: text,
  fuzzing_position: text,
});

type Event = z.output<typeof Event>;

/** `nuclei -jsonl` and `nuclei -json-export`. */
export const nuclei: Importer = {
  name: 'nuclei',
  about: {
    tool: '[Nuclei](https://docs.projectdiscovery.io)',
    command: '`nuclei -jsonl -o report.jsonl -u https://…`',
    versions: '2.9 to 3.4',
    identity: 'template, matcher, URL',
    severity: '`info.severity`',
  },
  acceptsEmptyReport: true,

  detects: (report) => {
    const [first] = eventsOf(report);
    if (typeof first !== 'object' || first === null) return false;
    return ('template-id' in first || 'templateID' in first) && 'info' in first;
  },

  results(report, context) {
    return (
      eventsOf(report)
        .map((event, index) => read(Event, event, String(index)))
        // With -matcher-status, nuclei also reports templates that did not match.
        .filter((event) => event['matcher-status'] !== false)
        .map((event) => {
          const { info } = event;
          const id = event['template-id'] ?? event.templateID ?? 'unknown template';
          const matcher = event['matcher-name'] ?? event.matcher_name;
          const matchedAt = (
            event['matched-at'] ??
            event.matched ??
            event.host ??
            event.url ??
            event.ip ??
            ''
          ).replace(/^\/(?=https?:)/, '');
          const file = event.type === 'file' ? relativePath(matchedAt, context) : undefined;
          // The address may contain the credentials that nuclei used.
          const location = file ?? maskCredentials(matchedAt);
          const cvss = cvssOf(info.classification?.['cvss-metrics']);
          const score = info.classification?.['cvss-score'] ?? cvss?.score;
          const name = info.name?.trim() || id;
          const results = [...toStrings(event['extracted-results']), ...toStrings(event.extracted_results)];
          return {
            identify: () =>
              fingerprintOf(
                'nuclei',
                id,
                removeNonces(location),
                matcher,
                event['extractor-name'],
                event.fuzzing_method,
                event.fuzzing_position,
                event.fuzzing_parameter,
              ),
            title: `${name}${matcher ? ` (${matcher})` : ''}${location && ` at ${location}`}`,
            severity: severityOf(
              /^unknown$/i.test(info.severity?.trim() ?? '') ? undefined : info.severity,
              score ? severityOfScore(score) : 'info',
            ),
            description: describeFinding({
              what: [info.description, info.impact]
                .map((part) => escapeMarkdown(part?.trim() ?? ''))
                .filter(Boolean)
                .join('\n\n'),
              facts: {
                Template: id,
                Matcher: matcher,
                Extractor: event['extractor-name'],
                'Matched at': location,
                Host: event.host && maskCredentials(event.host),
                IP: event.ip,
                Protocol: event.type,
                Parameter: [event.fuzzing_method, event.fuzzing_position, event.fuzzing_parameter]
                  .filter(Boolean)
                  .join(' '),
                Extracted: extractedResults(event, results).join(', '),
                Payload: payloadOf(event),
                Tags: toStrings(info.tags).join(', '),
              },
              snippet: event['curl-command'] && maskCredentials(event['curl-command']),
              fix: info.remediation && escapeMarkdown(info.remediation),
              references: [
                ...toStrings(info.reference).flatMap((one) =>
                  one.split('\n').map((line) => line.replace(/^\s*-\s+/, '')),
                ),
                event['template-url'],
              ],
            }),
            cwe: cweOf(...toStrings(info.classification?.['cwe-id'])),
            cve: cveOf(...toStrings(info.classification?.['cve-id']), id),
            cvss_score: score ?? undefined,
            cvss_vector: cvss?.vector,
            file,
            line: file ? event['matched-line']?.[0] : undefined,
          };
        })
    );
  },
};

const eventsOf = (report: Report): unknown[] => (report.kind === 'json' ? report.documents.flat() : []);

/** Whether a template finds secrets or signs in with credentials. */
const isSecret = ({ info, template, 'template-path': path, ...event }: Event) =>
  isSecretRule(info.name, ...toStrings(info.tags), ...toStrings(info.classification?.['cwe-id'])) ||
  /\b(?:tokens?|keys?|credentials?|default-logins?)\b/i.test(
    [event['template-id'], event.templateID, template, path, ...toStrings(info.tags)].join(' '),
  );

/** The extracted results, with possible secrets masked. */
const extractedResults = (event: Event, results: string[]): string[] =>
  results
    .slice(0, 20)
    .map((result) => (isSecret(event) ? mask(result) : maskCredentials(result).replace(LONG_TOKENS, mask)))
    .map(collapseWhitespace);

/** Long words with digits, such as cookie values. */
const LONG_TOKENS = /(?=[\w+=-]{0,99}\d)(?=[\w+=-]{0,99}[a-z])[\w+=-]{24,}/gi;

/** The payload values of the request, such as the user and password of a default login. */
const payloadOf = (event: Event): string =>
  Object.entries(event.meta ?? {})
    .filter(([, value]) => typeof value === 'string' || typeof value === 'number')
    .map(([name, value]) =>
      isSecret(event) && !/user|login|mail|path|url|host|port/i.test(name)
        ? `${name}=${mask(String(value))}`
        : maskCredentials(`${name}=${value}`),
    )
    .join(', ');

/** Removes what nuclei generates in every run: random words and the host names of its callback server. */
const removeNonces = (address: string): string =>
  address
    .replace(/\b[a-z0-9]{20,63}(?=\.(?:[\w-]+\.)*(?:oast|interact)[\w-]*\.[a-z]+)/gi, '*')
    .replace(/(?<![a-z\d])(?=[a-z]{0,26}\d)[a-z\d]{27}(?![a-z\d])/gi, '*');
