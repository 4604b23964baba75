import type { Rating } from '../finding.ts';
import { fingerprintOf } from '../identity/identity.ts';
import type { ImportContext, Result } from '../importer.ts';
import { groupsOf } from '../read/groups.ts';
import { cvssOf, mostSevere } from '../support.ts';
import { maskCredentials } from '../text/credentials.ts';
import { bullets, describeFinding, excerpt } from '../text/markdown.ts';

/** A problem that a scanner of hosts or websites found at one place. Issues of the same identity become one finding. */
export interface Issue {
  /** The identity besides the tool: the check, the host or address, the parameter. */
  identity: readonly (string | number | undefined | null)[];
  title: string;
  severity: Rating;
  rule_id: string | undefined;
  /** Markdown. */
  what?: string | undefined;
  facts?: Record<string, string | number | undefined | null>;
  /** Places that differ with each scan, such as the addresses of one problem. Markdown. */
  places?: readonly string[];
  /** The evidence that the tool reports. Plain text; credentials in it are masked here. */
  evidence?: string | undefined;
  /** Markdown. */
  fix?: string | undefined;
  references?: readonly (string | undefined)[];
  cwe?: string | undefined;
  cves?: readonly (string | undefined)[];
  cvss?: { score?: number | undefined; vector?: string | undefined } | undefined;
}

const MAX_PLACES = 50;
const MAX_EVIDENCE = 5;
const MAX_EVIDENCE_LENGTH = 4_000;
const MAX_EVIDENCE_LINE = 400;

/** Merges issues of the same identity: the title of the most severe one, and the texts, facts, places and evidence of all. */
export function resultsOf(
  tool: string,
  issues: readonly Issue[],
  context: Pick<ImportContext, 'parts'>,
): Result[] {
  const identityOf = ({ identity }: Issue) => fingerprintOf(tool, ...identity);
  const groups = context.parts?.groups(issues, identityOf) ?? groupsOf(issues, identityOf);
  return groups.map((group) => {
    const fingerprint = identityOf(group[0] as Issue);
    return { entries: [], identify: () => fingerprint, ...merge(group) };
  });
}

function merge(group: readonly Issue[]): Omit<Result, 'entries' | 'identify'> {
  const severity = mostSevere(group.map((issue) => issue.severity));
  const main = group.find((issue) => issue.severity === severity) ?? (group[0] as Issue);
  const places = unique(group.flatMap((issue) => issue.places ?? []));
  const evidence = unique(group.map((issue) => maskEvidence(issue.evidence)));
  const cves = unique(group.flatMap((issue) => issue.cves ?? []));
  const all = [main, ...group.filter((issue) => issue !== main)];
  const titles = unique(all.map(({ title }) => title)).slice(1, MAX_PLACES);
  const score = main.cvss?.score;
  return {
    title: main.title,
    severity: main.severity,
    rule_id: main.rule_id,
    description: describeFinding({
      what: paragraphsOf(all.map(({ what }) => what)),
      facts: {
        ...factsOf(all),
        'Also reported as': titles.join(', '),
        ...(cves.length > 1 && { CVE: cves.join(', ') }),
      },
      where: bullets(places, MAX_PLACES),
      snippet: evidence.slice(0, MAX_EVIDENCE).join('\n\n'),
      fix: paragraphsOf(all.map(({ fix }) => fix)),
      references: group.flatMap((issue) => issue.references ?? []),
    }),
    cwe: main.cwe ?? group.find(({ cwe }) => cwe)?.cwe,
    cve: cves[0],
    cvss_score: score !== undefined && score > 0 && score <= 10 ? score : undefined,
    cvss_vector: main.cvss?.vector,
  };
}

/** The facts of all issues, each with its values. */
function factsOf(issues: readonly Issue[]): Issue['facts'] {
  const labels = new Set(issues.flatMap(({ facts }) => Object.keys(facts ?? {})));
  const valuesOf = (label: string) =>
    unique(issues.map(({ facts }) => String(facts?.[label] ?? ''))).slice(0, MAX_PLACES);
  return Object.fromEntries([...labels].map((label) => [label, valuesOf(label).join(', ')]));
}

/** The distinct texts of issues. */
const paragraphsOf = (texts: readonly (string | undefined)[]) =>
  unique(texts).slice(0, MAX_EVIDENCE).join('\n\n');

const unique = (values: readonly (string | undefined)[]) => [
  ...new Set(values.filter((value): value is string => Boolean(value?.trim()))),
];

function maskEvidence(evidence: string | undefined): string | undefined {
  const lines = evidence
    ?.slice(0, MAX_EVIDENCE_LENGTH)
    .split(/\r\n?|\n/)
    .map((line) => line.slice(0, MAX_EVIDENCE_LINE).trimEnd());
  return excerpt(lines && maskCredentials(lines.join('\n')).replace(/^\n+|(?<!\n)\n+$/g, ''));
}

/** The score and vector that a tool states. Its score wins; vectors may lack the prefix or have another one. */
export function statedCvss(vector: string | undefined, score?: number): Issue['cvss'] {
  const found = cvssOf(vector);
  return found || score ? { score: score ?? found?.score, vector: found?.vector } : undefined;
}

/** All CVE ids in texts, each once. */
export const cvesIn = (...texts: (string | undefined | null)[]): string[] => [
  ...new Set(
    texts.flatMap((text) => text?.match(/\bCVE-\d{4}-\d{4,19}\b/gi) ?? []).map((id) => id.toUpperCase()),
  ),
];

/** `example.org:443/tcp`. Port 0 stands for the host. */
export function formatService(
  host: string,
  port?: string | number | undefined,
  protocol?: string | undefined,
): string {
  const named = host.includes(':') && !host.startsWith('[') && port && port !== '0' ? `[${host}]` : host;
  const service = port && String(port) !== '0' ? `${named}:${port}` : host;
  return protocol && service !== host ? `${service}/${protocol.toLowerCase()}` : service;
}

/** A host name as it identifies a finding. */
export const hostIdentity = (host: string | undefined | null): string =>
  (host ?? '').trim().replace(/\.$/, '').toLowerCase();

/**
 * An address as it identifies a finding: without user, fragment, session ids, default port and the values of its
 * parameters. The names of the parameters stay, in alphabetical order.
 */
export function addressIdentity(address: string | undefined | null): string {
  const [beforeHash = ''] = (address ?? '').trim().split('#', 1);
  const queryAt = beforeHash.indexOf('?');
  const page = (queryAt < 0 ? beforeHash : beforeHash.slice(0, queryAt)).replace(
    /;(?:jsessionid|phpsessid|sid)=[^/;]*/gi,
    '',
  );
  const query = queryAt < 0 ? '' : beforeHash.slice(queryAt + 1);
  const names = unique(query.split(/[&;]/).map((pair) => pair.split('=', 1)[0] ?? '')).sort();
  const [, scheme = '', authority = '', path = page] = /^([a-z][\w+.-]*):\/\/([^/]*)(.*)$/is.exec(page) ?? [];
  const host = authority.replace(/^.*@/, '').toLowerCase();
  const plain = scheme
    ? `${scheme.toLowerCase()}://${host.replace(scheme.toLowerCase() === 'https' ? /:443$/ : /:80$/, '')}${path || '/'}`
    : path;
  return names.length > 0 ? `${plain}?${names.join('&')}` : plain;
}

/** An address as it is shown: without the user, and with secret values masked. */
export const shownAddress = (address: string | undefined | null): string =>
  maskCredentials(
    (address ?? '')
      .trim()
      .replace(/(:\/\/)[^/?#@\s]*@/, '$1')
      .replace(/(;(?:jsessionid|phpsessid|sid)=)[^/;?#]*/gi, '$1********'),
  );
