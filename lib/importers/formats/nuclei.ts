import { z } from 'zod';
import { type Importer, type Report, read } from '../importer.ts';
import { describeFinding, plain, texts } from '../markdown.ts';
import { findsSecrets, mask, withoutCredentials } from '../secrets.ts';
import {
  cveOf,
  cvssOf,
  cweOf,
  fingerprintOf,
  normalized,
  relativePath,
  severityOf,
  severityOfScore,
} from '../support.ts';

const text = z.string().nullish();
// One, several, or none: the layout has changed over the versions.
const words = z.union([z.string(), z.array(z.string())]).nullish();

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
    reference: words,
    tags: words,
    classification: z
      .object({
        'cve-id': words,
        'cwe-id': words,
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
  'extracted-results': words,
  extracted_results: words,
  'matched-line': z.array(z.number()).nullish(),
  meta: z.record(z.string(), z.unknown()).nullish(),
  'curl-command': text,
  fuzzing_method: text,
  fuzzing_parameter: text,
  fuzzing_position: text,
});

type Event = z.output<typeof Event>;

/** `nuclei -jsonl` and `nuclei -json-export` */
export const nuclei: Importer = {
  name: 'nuclei',
  emptyMeansNothing: true,

  detects: (report) => {
    const [first] = eventsOf(report);
    if (typeof first !== 'object' || first === null) return false;
    return ('template-id' in first || 'templateID' in first) && 'info' in first;
  },

  findings(report, context) {
    return (
      eventsOf(report)
        .map((event, index) => read(Event, event, String(index)))
        // With -matcher-status what did not match is reported too.
        .filter((event) => event['matcher-status'] !== false)
        .map((event) => {
          const { info } = event;
          const id = event['template-id'] ?? event.templateID ?? 'unknown template';
          const matcher = event['matcher-name'] ?? event.matcher_name;
          const at = (
            event['matched-at'] ??
            event.matched ??
            event.host ??
            event.url ??
            event.ip ??
            ''
          ).replace(/^\/(?=https?:)/, '');
          const file = event.type === 'file' ? relativePath(at, context) : undefined;
          // The address may hold what let nuclei in.
          const place = file ?? withoutCredentials(at);
          const cvss = cvssOf(info.classification?.['cvss-metrics']);
          const score = info.classification?.['cvss-score'] ?? cvss?.score;
          const name = info.name?.trim() || id;
          const results = [...texts(event['extracted-results']), ...texts(event.extracted_results)];
          return {
            fingerprint: fingerprintOf(
              'nuclei',
              id,
              withoutNonces(place),
              matcher,
              event['extractor-name'],
              event.fuzzing_method,
              event.fuzzing_position,
              event.fuzzing_parameter,
            ),
            title: `${name}${matcher ? ` (${matcher})` : ''}${place && ` at ${place}`}`,
            severity: severityOf(
              /^unknown$/i.test(info.severity?.trim() ?? '') ? undefined : info.severity,
              score ? severityOfScore(score) : 'info',
            ),
            description: describeFinding({
              what: [info.description, info.impact]
                .map((part) => plain(part?.trim() ?? ''))
                .filter(Boolean)
                .join('\n\n'),
              facts: {
                Template: id,
                Matcher: matcher,
                Extractor: event['extractor-name'],
                'Matched at': place,
                Host: event.host && withoutCredentials(event.host),
                IP: event.ip,
                Protocol: event.type,
                Parameter: [event.fuzzing_method, event.fuzzing_position, event.fuzzing_parameter]
                  .filter(Boolean)
                  .join(' '),
                Extracted: shown(event, results).join(', '),
                With: withOf(event),
                Tags: texts(info.tags).join(', '),
              },
              snippet: event['curl-command'] && withoutCredentials(event['curl-command']),
              fix: info.remediation && plain(info.remediation),
              references: [
                ...texts(info.reference).flatMap((one) =>
                  one.split('\n').map((line) => line.replace(/^\s*-\s+/, '')),
                ),
                event['template-url'],
              ],
            }),
            cwe: cweOf(...texts(info.classification?.['cwe-id'])),
            cve: cveOf(...texts(info.classification?.['cve-id']), id),
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

/** What the template found is a secret, or let it in. */
const isSecret = ({ info, template, 'template-path': path, ...event }: Event) =>
  findsSecrets(info.name, ...texts(info.tags), ...texts(info.classification?.['cwe-id'])) ||
  /\b(?:tokens?|keys?|credentials?|default-logins?)\b/i.test(
    [event['template-id'], event.templateID, template, path, ...texts(info.tags)].join(' '),
  );

/** What was extracted: as it is where it tells something, masked where it may be a secret. */
const shown = (event: Event, results: string[]): string[] =>
  results
    .slice(0, 20)
    .map((result) => (isSecret(event) ? mask(result) : withoutCredentials(result).replace(LONG, mask)))
    .map(normalized);

/** Long words with digits, such as the values of cookies. */
const LONG = /(?=[\w+=-]{0,99}\d)(?=[\w+=-]{0,99}[a-z])[\w+=-]{24,}/gi;

/** What the request was filled with, such as the user and password of a default login. */
const withOf = (event: Event): string =>
  Object.entries(event.meta ?? {})
    .filter(([, value]) => typeof value === 'string' || typeof value === 'number')
    .map(([name, value]) =>
      isSecret(event) && !/user|login|mail|path|url|host|port/i.test(name)
        ? `${name}=${mask(String(value))}`
        : withoutCredentials(`${name}=${value}`),
    )
    .join(', ');

/** An address without what nuclei makes up anew in every run: random words and the names of its listener. */
const withoutNonces = (address: string): string =>
  address
    .replace(/\b[a-z0-9]{20,63}(?=\.(?:[\w-]+\.)*(?:oast|interact)[\w-]*\.[a-z]+)/gi, '*')
    .replace(/(?<![a-z\d])(?=[a-z]{0,26}\d)[a-z\d]{27}(?![a-z\d])/gi, '*');
