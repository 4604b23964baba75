import { z } from 'zod';
import { fingerprintOf } from '../identity/identity.ts';
import { type Importer, type Report, type Result, readList } from '../importer.ts';
import { groupsOf } from '../read/groups.ts';
import { documentOf, rootOf } from '../read/report.ts';
import { fields, list, text } from '../read/schema.ts';
import { isObject, property } from '../read/values.ts';
import { onlyName, siteName } from '../scanned.ts';
import { cveOf, cweOf, severityIn, severityOf } from '../support.ts';
import { bullets, describeFinding, escapeMarkdown, inlineCode } from '../text/markdown.ts';
import { isSecretRule } from '../text/secrets.ts';

/**
 * The members of a list. XML wraps them in an element, unlike JSON: `"instances": [a, b]`. An empty XML element is an empty
 * string.
 */
const nestedList = <S extends z.ZodType>(name: string, member: S) =>
  z.preprocess(
    (value) =>
      [value ?? []]
        .flat()
        .flatMap((found) => (isObject(found) && found[name] !== undefined ? found[name] : found))
        .filter((found) => isObject(found)),
    list(member),
  );

const Instance = z.object({ uri: text, method: text, param: text, attack: text, evidence: text });
const Alert = z.object({
  ...fields(text, 'pluginid', 'alertRef', 'alert', 'name', 'riskcode', 'riskdesc', 'confidence', 'desc'),
  ...fields(text, 'solution', 'otherinfo', 'reference', 'cweid'),
  instances: nestedList('instance', Instance),
});
const Site = z.object({ '@name': text, '@_name': text, alerts: nestedList('alertitem', Alert) });

type Alert = z.output<typeof Alert>;
type Instance = z.output<typeof Instance>;

/** Traditional reports of ZAP: `zap-baseline.py -x report.xml` or `-J report.json`. */
export const zap: Importer = {
  name: 'zap',
  about: {
    tool: '[ZAP](https://www.zaproxy.org)',
    command: '`zap-baseline.py -t https://… -J report.json` (or `-x report.xml`)',
    versions: '2.9 to 2.11, 2.16',
    identity: 'alert, site',
    severity: '`riskcode`',
  },

  detects: (report) => {
    if (report.kind === 'xml') return report.root === 'OWASPZAPReport';
    const document = contentOf(report);
    return (
      typeof property(document, 'site') === 'object' &&
      isObject(document) &&
      ('@version' in document || '@programName' in document) &&
      // GitLab DAST adds its own list.
      !('vulnerabilities' in document)
    );
  },

  category: (report) =>
    onlyName(
      [property(contentOf(report), 'site') ?? []]
        .flat()
        .map((site) => siteName(text.parse(property(site, '@name') ?? property(site, '@_name')))),
    ),

  results(report, context) {
    const found = property(contentOf(report), 'site');
    const members = [found ?? []].flat().filter((site) => site !== '');
    return readList(Site, members, 'site', context).flatMap((site) => {
      // ZAP gives confidence 0 to alerts that were marked as false positives.
      const alerts = site.alerts.filter(
        ({ confidence }) => !/^(?:0|false positive)$/i.test(confidence ?? ''),
      );
      context.skip('they are marked as false positives in ZAP', site.alerts.length - alerts.length);
      return grouped(alerts).map((group) => toResult(group, site));
    });
  },
};

/** The document in JSON, or the root element in XML. */
const contentOf = (report: Report): unknown =>
  report.kind === 'xml' ? rootOf(report, 'OWASPZAPReport') : documentOf(report);

const RISKS = { 3: 'high', 2: 'medium', 1: 'low', 0: 'info' } as const;
const CONFIDENCES = new Map(Object.entries({ 1: 'Low', 2: 'Medium', 3: 'High', 4: 'Confirmed by a user' }));

const MAX_INSTANCES = 50;

const ruleOf = ({ alertRef, pluginid }: Alert) => alertRef ?? pluginid ?? '';
const nameOf = (alert: Alert) => alert.name ?? alert.alert ?? `Alert ${ruleOf(alert)}`;

/** A reference such as `10055-4` names a variant of an alert; a plugin may raise several alerts. */
const kindOf = (alert: Alert): string =>
  /-\d+$/.test(alert.alertRef ?? '') ? ruleOf(alert) : `${ruleOf(alert)} ${nameOf(alert)}`;

/** ZAP lists an alert once for each risk and confidence. Highest risk first. */
function grouped(alerts: readonly Alert[]): [Alert, ...Alert[]][] {
  return groupsOf(alerts, kindOf).map(
    (group) => group.sort((a, b) => Number(b.riskcode ?? 0) - Number(a.riskcode ?? 0)) as [Alert, ...Alert[]],
  );
}

/** One finding per alert and site, because the instances differ with each crawl. */
function toResult(group: readonly [Alert, ...Alert[]], listed: z.output<typeof Site>): Result {
  const [alert] = group;
  const site = listed['@name'] ?? listed['@_name'] ?? '';
  const rule = ruleOf(alert);
  const name = nameOf(alert);
  const isSecret = isSecretRule(name) || REVEALING_ALERTS.test(name);
  const instances = instancesOf(group, isSecret);
  const information = distinct(group.map(({ otherinfo }) => maskRequest(paragraphs(otherinfo))));
  return {
    entries: [listed, { group }],
    identify: () => fingerprintOf('zap', kindOf(alert), site),
    // Risk and confidence were part of it.
    identifyFormerly: () => fingerprintOf('zap', rule, name, site, alert.riskcode, alert.confidence),
    title: site ? `${name} (${site})` : name,
    rule_id: rule,
    severity: severityIn(RISKS, alert.riskcode, severityOf(alert.riskdesc?.split(' ')[0])),
    description: describeFinding({
      what: escapeMarkdown(distinct(group.map(({ desc }) => paragraphs(desc))).join('\n')),
      facts: {
        Site: site,
        Alert: rule,
        Confidence: distinct(group.map(({ confidence }) => CONFIDENCES.get(confidence ?? '') ?? '')).join(
          ', ',
        ),
      },
      where: [
        bullets(instances, MAX_INSTANCES),
        '',
        isSecret
          ? 'The evidence is omitted because it may be a secret.'
          : escapeMarkdown(information.join('\n')),
      ].join('\n'),
      fix: escapeMarkdown(distinct(group.map(({ solution }) => paragraphs(solution))).join('\n')),
      references: [
        ...group.flatMap(({ reference }) => paragraphs(reference).split('\n')),
        /^\d+$/.test(alert.pluginid ?? '') ? `https://www.zaproxy.org/docs/alerts/${alert.pluginid}/` : '',
      ],
    }),
    cve: cveOf(name, alert.otherinfo),
    cwe: /^\d+$/.test(alert.cweid ?? '') ? cweOf(alert.cweid) : undefined,
  };
}

/** The instances of all alerts. One that an alert repeats from another is listed once. */
function instancesOf(group: readonly Alert[], isSecret: boolean): string[] {
  const listed = new Set<string>();
  return group.flatMap(({ instances }) => {
    const formatted = instances.map((instance) => formatInstance(instance, isSecret));
    const added = formatted.filter((instance) => !listed.has(instance));
    for (const instance of added) listed.add(instance);
    return added;
  });
}

const distinct = (texts: string[]) => [...new Set(texts.filter((each) => each !== ''))];

/** Alerts whose evidence is confidential. */
const REVEALING_ALERTS =
  /\bPII\b|personal|hash disclosure|authentication method|sensitive information|session id/i;

function formatInstance({ uri, method, param, attack, evidence }: Instance, isSecret: boolean): string {
  const url = isSecret ? (uri ?? '').replace(/([?&;][^=?&;#]*=)[^&;#]+/g, '$1********') : (uri ?? '');
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
