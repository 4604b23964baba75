import { z } from 'zod';
import { fingerprintOf, identifyCode } from '../identity/identity.ts';
import { type ImportContext, type Importer, type Report, readList } from '../importer.ts';
import { documentsOf } from '../read/report.ts';
import { fields, flag, list, number, object, record, text, texts } from '../read/schema.ts';
import {
  collapseWhitespace,
  cveOf,
  cvssOf,
  cweOf,
  relativePath,
  severityOf,
  severityOfScore,
} from '../support.ts';
import { maskCredentials } from '../text/credentials.ts';
import { describeFinding, escapeMarkdown, joined } from '../text/markdown.ts';
import { recordAll } from '../text/notices.ts';
import { isSecretRule, mask } from '../text/secrets.ts';

const Event = z.object({
  ...fields(text, 'template-id', 'templateID', 'template-path', 'template', 'template-url', 'type'),
  ...fields(text, 'matcher-name', 'matcher_name', 'extractor-name', 'matched-at', 'matched', 'host', 'url'),
  ...fields(text, 'ip', 'curl-command', 'fuzzing_method', 'fuzzing_parameter', 'fuzzing_position'),
  info: z.object({
    ...fields(text, 'name', 'severity', 'description', 'impact', 'remediation'),
    reference: texts,
    tags: texts,
    classification: object({ 'cve-id': texts, 'cwe-id': texts, 'cvss-metrics': text, 'cvss-score': number }),
  }),
  'matcher-status': flag,
  /** With -matcher-status: why the template could not be tried. */
  error: text,
  'extracted-results': texts,
  extracted_results: texts,
  'matched-line': list(z.number()),
  meta: record,
});

type Event = z.output<typeof Event>;

/** `nuclei -jsonl` and `nuclei -json-export`. */
export const nuclei: Importer = {
  name: 'nuclei',
  about: {
    tool: '[Nuclei](https://docs.projectdiscovery.io)',
    command: '`nuclei -jsonl -o report.jsonl -u https://…`',
    versions: 'the report names no version: reports of 2021 to 2026',
    identity: 'template, matcher, URL; in files the matched line',
    severity: '`info.severity`',
  },
  acceptsEmptyReport: true,

  detects: (report) => {
    const [first] = eventsOf(report);
    if (typeof first !== 'object' || first === null) return false;
    return ('template-id' in first || 'templateID' in first) && 'info' in first;
  },

  results(report, context) {
    const events = readList(Event, eventsOf(report), '', context);
    reportFailed(events, context);
    return (
      events
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
          const results = [...event['extracted-results'], ...event.extracted_results];
          const line = file ? event['matched-line'][0] : undefined;
          const rule = [
            matcher,
            event['extractor-name'],
            event.fuzzing_method,
            event.fuzzing_position,
            event.fuzzing_parameter,
          ];
          const identifyAddress = (path: string | undefined) =>
            fingerprintOf('nuclei', id, removeNonces(path ?? location), ...rule);
          return {
            entries: [event],
            identify: file ? identifyCode('nuclei', [id, ...rule], { file, line }, context) : identifyAddress,
            // Two matches in a file or at an address had the same, with their number.
            identifyVaguely: identifyAddress,
            title: `${name}${matcher ? ` (${matcher})` : ''}${location && ` at ${location}`}`,
            rule_id: id,
            severity: severityOf(info.severity, severityOfScore(score)),
            description: describeFinding({
              what: joined(
                [info.description, info.impact].map((part) => escapeMarkdown(part?.trim() ?? '')),
                '\n\n',
              ),
              facts: {
                Template: id,
                Matcher: matcher,
                Extractor: event['extractor-name'],
                'Matched at': location,
                Host: event.host && maskCredentials(event.host),
                IP: event.ip,
                Protocol: event.type,
                Parameter: joined(
                  [event.fuzzing_method, event.fuzzing_position, event.fuzzing_parameter],
                  ' ',
                ),
                Extracted: extractedResults(event, results).join(', '),
                Payload: payloadOf(event),
                Tags: info.tags.join(', '),
              },
              snippet: event['curl-command'] && maskCredentials(event['curl-command']),
              fix: info.remediation && escapeMarkdown(info.remediation),
              references: [
                ...info.reference.flatMap((one) =>
                  one.split('\n').map((line) => line.replace(/^\s*-\s+/, '')),
                ),
                event['template-url'],
              ],
            }),
            cwe: cweOf(...(info.classification?.['cwe-id'] ?? [])),
            cve: cveOf(...(info.classification?.['cve-id'] ?? []), id),
            cvss_score: score,
            cvss_vector: cvss?.vector,
            file,
            line,
          };
        })
    );
  },
};

const eventsOf = (report: Report): unknown[] => documentsOf(report).flat();

/** Records the templates that could not be tried. */
function reportFailed(events: readonly Event[], context: ImportContext): void {
  const failed = events.filter((event) => event.error && event['matcher-status'] !== true);
  recordAll(
    context.error,
    failed.map((event) => {
      const address = maskCredentials(event.host ?? event.url ?? event['matched-at'] ?? 'the target');
      const id = event['template-id'] ?? event.templateID ?? 'A template';
      return `${id} could not be tried at ${address}: ${maskCredentials(event.error ?? '')}`;
    }),
    (count) => `${count} more templates could not be tried`,
  );
}

/** Whether a template finds secrets or signs in with credentials. */
const isSecret = ({ info, template, 'template-path': path, ...event }: Event) =>
  isSecretRule(info.name, ...info.tags, ...(info.classification?.['cwe-id'] ?? [])) ||
  /\b(?:tokens?|keys?|credentials?|default-logins?)\b/i.test(
    [event['template-id'], event.templateID, template, path, ...info.tags].join(' '),
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
    .replace(/\b[a-z0-9]{20,63}(?=\.(?:[\w-]{1,63}\.){0,10}(?:oast|interact)[\w-]{0,63}\.[a-z])/gi, '*')
    .replace(/(?<![a-z\d])(?=[a-z]{0,26}\d)[a-z\d]{27}(?![a-z\d])/gi, '*');
