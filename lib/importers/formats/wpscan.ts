import { z } from 'zod';
import { type Importer, readAt, readList } from '../importer.ts';
import { addressIdentity, type Issue, resultsOf, shownAddress, statedCvss } from '../kinds/issues.ts';
import { documentOf, hasKind } from '../read/report.ts';
import { anything, fields, flag, number, object, requiredText, text, texts } from '../read/schema.ts';
import { isObject, property } from '../read/values.ts';
import { nameIn, siteName } from '../scanned.ts';
import { severityOfScore } from '../support.ts';
import { maskCredentials } from '../text/credentials.ts';
import { escapeMarkdown, inlineCode, joined } from '../text/markdown.ts';

const References = object({ cve: texts, url: texts, wpvulndb: texts });

const Vulnerability = z.object({
  title: requiredText,
  ...fields(text, 'fixed_in', 'description'),
  references: References,
  cvss: object({ score: number, vector: text }),
});

const Interesting = z.object({
  type: requiredText,
  ...fields(text, 'url', 'to_s', 'found_by'),
  references: References,
  interesting_entries: texts,
});

const Component = z.object({
  ...fields(text, 'slug', 'location', 'latest_version', 'number'),
  outdated: flag,
  version: anything,
});

/** JSON of WPScan. */
export const wpscan: Importer = {
  name: 'wpscan',
  about: {
    tool: '[WPScan](https://wpscan.com)',
    command: '`wpscan --url https://… --api-token … -f json -o report.json`',
    versions: '3.5 and 3.8',
    identity: 'site, component, WPScan’s id of the vulnerability',
    severity: 'CVSS (paid plans of the API), or medium; remarks on the site: info; guessed passwords: high',
  },

  detects: (report) => {
    const document = documentOf(report);
    return (
      /WordPress Security Scanner/.test(String(property(document, 'banner', 'description') ?? '')) ||
      hasKind(document, { target_url: 'value', interesting_findings: 'list' })
    );
  },

  category: (report) => siteName(nameIn(report, 'target_url')),

  results(report, context) {
    const document = documentOf(report);
    const aborted = property(document, 'scan_aborted');
    if (aborted) context.error(`WPScan aborted: ${maskCredentials(String(aborted))}`);
    const lookup = property(document, 'vuln_api', 'error');
    if (lookup) context.error(`Vulnerabilities were not looked up: ${String(lookup)}`);
    const site = String(property(document, 'effective_url') ?? property(document, 'target_url') ?? '');

    const components = componentsOf(document).flatMap(({ kind, name, value }) =>
      readList(Vulnerability, vulnerabilitiesOf(value), `${kind}.${name}.vulnerabilities`, context).map(
        (found) => vulnerabilityIssue(found, kind, name, value, site),
      ),
    );
    const remarks = readAt(Interesting, document, 'interesting_findings', context);
    const users = property(document, 'password_attack');
    const issues = [
      ...components,
      ...remarks.map((found) => remarkIssue(found, site)),
      ...Object.keys(isObject(users) ? users : {}).map((user) => passwordIssue(user, site)),
    ];
    return resultsOf('wpscan', issues, context);
  },
};

interface Named {
  kind: string;
  name: string;
  value: unknown;
}

/** WordPress, the themes and the plugins. */
function componentsOf(document: unknown): Named[] {
  const theme = property(document, 'main_theme');
  const lists = (['themes', 'plugins', 'timthumbs'] as const).flatMap((list) => {
    const named = property(document, list);
    const kind = list === 'timthumbs' ? 'TimThumb' : list.slice(0, -1);
    return Object.entries(isObject(named) ? named : {}).map(([name, value]) => ({ kind, name, value }));
  });
  return [
    { kind: 'WordPress', name: '', value: property(document, 'version') },
    { kind: 'theme', name: String(property(theme, 'slug') ?? ''), value: theme },
    ...lists,
  ];
}

/** The vulnerabilities of a component, and those of its version. */
const vulnerabilitiesOf = (component: unknown): unknown[] =>
  [property(component, 'vulnerabilities'), property(component, 'version', 'vulnerabilities')].flatMap(
    (list) => (Array.isArray(list) ? list : []),
  );

function vulnerabilityIssue(
  found: z.output<typeof Vulnerability>,
  kind: string,
  name: string,
  value: unknown,
  site: string,
): Issue {
  const component = Component.parse(isObject(value) ? value : {});
  const version = component.number ?? property(component.version, 'number');
  const { references, cvss } = found;
  const [id] = references?.wpvulndb ?? [];
  const cves = (references?.cve ?? []).map((cve) => (/^CVE-/i.test(cve) ? cve.toUpperCase() : `CVE-${cve}`));
  return {
    identity: [addressIdentity(site), kind, name, id ?? found.title],
    title: `${found.title} (${shownAddress(site)})`,
    rule_id: id ?? found.title,
    severity: severityOfScore(cvss?.score || undefined, 'medium'),
    what: escapeMarkdown(found.description ?? ''),
    facts: {
      Component: joined([kind, name], ' '),
      Version: typeof version === 'string' ? version : undefined,
      'Latest version': component.latest_version,
    },
    places: component.location ? [inlineCode(shownAddress(component.location))] : [],
    fix: found.fixed_in ? `Upgrade to ${escapeMarkdown(found.fixed_in)}.` : undefined,
    references: [...(references?.url ?? []), id && `https://wpscan.com/vulnerability/${id}`],
    cves,
    cvss: statedCvss(cvss?.vector, cvss?.score),
  };
}

function remarkIssue(
  { type, url, to_s: title, found_by: method, ...found }: z.output<typeof Interesting>,
  site: string,
): Issue {
  const page = url ?? site;
  const name = title && !/^https?:/.test(title) ? title : type.replaceAll('_', ' ');
  return {
    identity: [addressIdentity(site), 'remark', type, addressIdentity(page)],
    title: `${maskCredentials(name.replace(/: https?:.*/s, ''))} (${shownAddress(page)})`,
    rule_id: type,
    severity: 'info',
    facts: { Type: type, 'Found by': method },
    evidence: found.interesting_entries.join('\n'),
    references: found.references?.url ?? [],
  };
}

/** The password is not part of the finding. */
const passwordIssue = (user: string, site: string): Issue => ({
  identity: [addressIdentity(site), 'password', user],
  title: `The password of the user ${user} can be guessed (${shownAddress(site)})`,
  rule_id: 'weak-password',
  severity: 'high',
  fix: 'Change the password, and limit the number of attempts to sign in.',
  cwe: 'CWE-521',
});
