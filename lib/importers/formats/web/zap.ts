import { z } from 'zod';
import type { Severity } from '../../finding.ts';
import { fingerprintOf } from '../../identity.ts';
import { type Importer, read } from '../../importer.ts';
import { describeFinding, escapeMarkdown, inlineCode } from '../../markdown.ts';
import { isSecretRule } from '../../secrets.ts';
import { cveOf, cweOf } from '../../support.ts';

/** Text, or an XML element with text. The parser returns elements in an array, and those with attributes as objects. */
const text = z.preprocess((value) => {
  const only = Array.isArray(value) ? value[0] : value;
  const content = typeof only === 'object' ? (only as { '#text'?: unknown } | null)?.['#text'] : only;
  return typeof content === 'number' ? String(content) : content;
}, z.string().nullish());

/** A list, or a single member. An empty XML element is an empty string. */
const list = <S extends z.ZodType>(item: S) =>
  z.preprocess((value) => [value ?? []].flat().filter((member) => member !== ''), z.array(item));
/** A list that XML wraps in an element, unlike JSON: `"instances": [a, b]`. */
const nestedList = <S extends z.ZodType>(name: string, item: S) =>
  z.preprocess(
    (value) =>
      [value ?? []].flat().flatMap((member) => {
        const inner = (member as Record<string, unknown> | null)?.[name];
        return inner === undefined ? (member as unknown) : inner;
      }),
    list(item),
  );

const Instance = z.object({ uri: text, method: text, param: text, attack: text, evidence: text });
const Alert = z.object({
  pluginid: text,
  alertRef: text,
  alert: text,
  name: text,
  riskcode: text,
  confidence: text,
  desc: text,
  instances: nestedList('instance', Instance),
  count: text,
  solution: text,
  otherinfo: text,
  reference: text,
  cweid: text,
});
const Site = z.object({
  '@name': z.string().nullish(),
  '@_name': z.string().nullish(),
  alerts: nestedList('alertitem', Alert),
});
const Zap = z.object({ site: list(Site) });

type Alert = z.output<typeof Alert>;
type Instance = z.output<typeof Instance>;

/** Traditional reports of ZAP: `zap-baseline.py -x report.xml` or `-J report.json`. */
export const zap: Importer = {
  name: 'zap',
  about: {
    tool: '[ZAP](https://www.zaproxy.org)',
    command: '`zap-baseline.py -t https://… -J report.json` (or `-x report.xml`)',
    versions: '2.10 to 2.16',
    identity: 'alert, site',
    severity: '`riskcode`',
  },

  detects: (report) => {
    if (report.kind === 'xml') return report.root === 'OWASPZAPReport';
    const { site, ...rest } = ((report.kind === 'json' ? report.documents[0] : undefined) ?? {}) as Record<
      string,
      unknown
    >;
    // GitLab DAST adds its own list.
    return (
      typeof site === 'object' &&
      ('@version' in rest || '@programName' in rest) &&
      !('vulnerabilities' in rest)
    );
  },

  results(report) {
    const document =
      report.kind === 'xml'
        ? [(report.document as Record<string, unknown>)[report.root]].flat()[0]
        : report.kind === 'json'
          ? report.documents[0]
          : undefined;
    return read(Zap, document === '' ? {} : document).site.flatMap((site) =>
      site.alerts
        // ZAP gives confidence 0 to alerts that were marked as false positives.
        .filter(({ confidence }) => confidence !== '0')
        .map((alert) => toFinding(alert, site['@name'] ?? site['@_name'] ?? '')),
    );
  },
};

const RISKS = new Map<string, Severity>(
  Object.entries({ 3: 'high', 2: 'medium', 1: 'low', 0: 'info' } as const),
);
const CONFIDENCES = new Map(Object.entries({ 1: 'Low', 2: 'Medium', 3: 'High', 4: 'Confirmed by a user' }));

const MAX_INSTANCES = 50;

/** One finding per alert and site, because the instances differ with each crawl. */
function toFinding(alert: Alert, site: string) {
  const rule = alert.alertRef ?? alert.pluginid ?? '';
  const name = alert.name ?? alert.alert ?? `Alert ${rule}`;
  const isSecret = isSecretRule(name) || REVEALING_ALERTS.test(name);
  const { instances } = alert;
  return {
    repeats: true,
    identify: () => fingerprintOf('zap', rule, name, site, alert.riskcode, alert.confidence),
    title: site ? `${name} (${site})` : name,
    severity: RISKS.get(alert.riskcode ?? '') ?? ('info' as const),
    description: describeFinding({
      what: escapeMarkdown(paragraphs(alert.desc)),
      facts: {
        Site: site,
        Alert: rule,
        Confidence: CONFIDENCES.get(alert.confidence ?? ''),
      },
      where: [
        ...instances.slice(0, MAX_INSTANCES).map((instance) => `- ${formatInstance(instance, isSecret)}`),
        ...(instances.length > MAX_INSTANCES ? [`- … and ${instances.length - MAX_INSTANCES} more`] : []),
        '',
        isSecret
          ? 'The evidence is omitted because it may be a secret.'
          : escapeMarkdown(maskRequest(paragraphs(alert.otherinfo))),
      ].join('\n'),
      fix: escapeMarkdown(paragraphs(alert.solution)),
      references: [
        ...paragraphs(alert.reference).split('\n'),
        /^\d+$/.test(alert.pluginid ?? '') ? `https://www.zaproxy.org/docs/alerts/${alert.pluginid}/` : '',
      ],
    }),
    cve: cveOf(name, alert.otherinfo),
    cwe: /^\d+$/.test(alert.cweid ?? '') ? cweOf(alert.cweid) : undefined,
  };
}

/** Alerts whose evidence is confidential. */
const REVEALING_ALERTS =
  /\bPII\b|personal|hash disclosure|authentication method|sensitive information|session id/i;

function formatInstance({ uri, method, param, attack, evidence }: Instance, isSecret: boolean): string {
  const url = isSecret ? (uri ?? '').replace(/([?&;][^=&;#]*=)[^&;#]+/g, '$1********') : (uri ?? '');
  const details = { parameter: param, attack, ...(!isSecret && { evidence }) };
  return [
    inlineCode(maskRequest(`${method ?? ''} ${url}`)),
    ...Object.entries(details)
      .filter(([, value]) => value?.trim())
      .map(([label, value]) => `${label} ${inlineCode(truncate(maskRequest(value ?? '')))}`),
  ].join(', ');
}

/** Masks the credentials in a request. */
const maskRequest = (request: string) =>
  request
    .replace(/(\b[a-z]+:\/\/)[^/?#@\s]*@/gi, '$1')
    .replace(
      /((?:pass|pwd|secret|token|session|sid|auth|credential|api_?key)[\w.-]{0,60}=)[^&;#\s"'<>]+/gi,
      '$1********',
    );

const truncate = (value: string) => (value.length > 200 ? `${value.slice(0, 200)}…` : value);

/** The text of ZAP's paragraphs, `<p>…</p>`. Other tags are part of the finding. */
const paragraphs = (html: string | undefined | null) =>
  (html ?? '').replace(/<\/p>\s*<p>/g, '\n').replace(/^\s*<p>|<\/p>\s*$/g, '');
