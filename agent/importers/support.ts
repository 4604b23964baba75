import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { CVSS20, CVSS30, CVSS31, CVSS40 } from '@pandatix/js-cvss';
import type { Severity } from '../finding.ts';
import type { ImportContext } from './importer.ts';

/** A stable fingerprint of what identifies a finding; the first part is the tool's name and stays readable. */
export function fingerprintOf(tool: string, ...parts: (string | number | undefined | null)[]): string {
  const digest = createHash('sha256').update(JSON.stringify(parts.map((part) => part ?? null)));
  return `${tool}:${digest.digest('hex')}`;
}

/** Source text without what changes when code is only moved or reformatted. */
export const normalized = (context: string): string => context.replace(/\s+/g, ' ').trim();

/** A map: a report's word may be `constructor`. */
const WORDS = new Map<string, Severity>(
  Object.entries({
    critical: 'critical',
    blocker: 'critical',
    important: 'high',
    high: 'high',
    error: 'high',
    major: 'high',
    moderate: 'medium',
    medium: 'medium',
    warning: 'medium',
    warn: 'medium',
    minor: 'low',
    low: 'low',
    negligible: 'info',
    note: 'low',
    informational: 'info',
    information: 'info',
    info: 'info',
    none: 'info',
    unknown: 'info',
  } as const),
);

/** The severity a tool's word stands for. */
export const severityOf = (word: string | undefined | null, otherwise: Severity = 'info'): Severity =>
  WORDS.get(word?.trim().toLowerCase() ?? '') ?? otherwise;

/** The severity of a CVSS score (CVSS v3.1, "Qualitative Severity Rating Scale"). */
export function severityOfScore(score: number): Severity {
  if (score >= 9) return 'critical';
  if (score >= 7) return 'high';
  if (score >= 4) return 'medium';
  return score > 0 ? 'low' : 'info';
}

export interface Cvss {
  score: number;
  vector: string;
}

/** What a CVSS vector (v2, v3, v4) stands for; undefined when it is none. */
export function cvssOf(vector: string | undefined | null): Cvss | undefined {
  const plain = vector?.trim().replace(/^\((.*)\)$/, '$1');
  if (!plain) return undefined;
  try {
    const score = scoreOf(plain);
    // The library does not miss every metric that is missing.
    return score >= 0 && score <= 10 ? { score, vector: plain } : undefined;
  } catch {
    return undefined;
  }
}

function scoreOf(vector: string): number {
  if (vector.startsWith('CVSS:4.0/')) return new CVSS40(vector).Score();
  if (vector.startsWith('CVSS:3.1/')) return new CVSS31(vector).BaseScore();
  if (vector.startsWith('CVSS:3.0/')) return new CVSS30(vector).BaseScore();
  return new CVSS20(vector).BaseScore();
}

/** The first weakness named in texts or numbers, as `CWE-89`. */
export function cweOf(...candidates: (string | number | undefined | null)[]): string | undefined {
  for (const candidate of candidates) {
    const [, digits] = /^(?:.*?\bCWE[-_:/ ]*)?0*([1-9]\d{0,8})\b/is.exec(String(candidate ?? '')) ?? [];
    if (digits) return `CWE-${digits}`;
  }
  return undefined;
}

/** The first vulnerability named in texts, as `CVE-2026-12345`. */
export function cveOf(...candidates: (string | undefined | null)[]): string | undefined {
  for (const candidate of candidates) {
    const [found] = /\bCVE-\d{4}-\d{4,19}\b/i.exec(candidate ?? '') ?? [];
    if (found) return found.toUpperCase();
  }
  return undefined;
}

/**
 * A path or file URL of a report relative to the workspace, with slashes. What lies outside keeps its name without a
 * way up; undefined when nothing is left.
 */
export function relativePath(
  path: string | undefined | null,
  { workspace }: ImportContext,
): string | undefined {
  if (!path) return undefined;
  let plain = path.replace(/^file:\/\/(?:localhost)?(?=\/)/i, '').replaceAll('\\', '/');
  if (plain !== path && /%[0-9a-f]{2}/i.test(plain)) {
    try {
      plain = decodeURIComponent(plain);
    } catch {
      // Then it was no URL's escape.
    }
  }
  const base = workspace.replaceAll('\\', '/').replace(/\/+$/, '');
  if (base !== '' && `${plain}/`.startsWith(`${base}/`)) plain = plain.slice(base.length + 1);
  // `/../x` is `/x`: nothing climbs out.
  const inside = posix.normalize(`/${plain.replace(/^[a-z]:(?=\/)/i, '')}`).slice(1);
  return inside === '' || inside === '.' ? undefined : inside;
}

/** What is left of a secret that may be shown: enough to recognise it, not to use it. */
export function mask(secret: string): string {
  const shown = secret.length >= 16 ? 4 : 0;
  return `${secret.slice(0, shown)}${'*'.repeat(8)}`;
}

/** Masks every occurrence of secrets in a text, and of the longer lines of those that have several. */
export function withoutSecrets(text: string, ...secrets: (string | undefined | null)[]): string {
  const parts = secrets.flatMap((secret) => {
    const lines = secret?.split(/\r?\n/).map((line) => line.trim()) ?? [];
    return [secret, secret?.trim(), ...(lines.length > 1 ? lines.filter(({ length }) => length >= 16) : [])];
  });
  // A longer one may contain a shorter one.
  const found = [...new Set(parts)].filter(Boolean).sort((a, b) => (b?.length ?? 0) - (a?.length ?? 0));
  let masked = text;
  for (const secret of found) {
    if (!secret) continue;
    // A password that is a word is not masked inside of other words.
    const isWord = /^[a-z]{1,7}$/i.test(secret);
    const pattern = isWord ? new RegExp(`(?<![a-z_])${secret}(?![a-z_])`, 'gi') : secret;
    masked = masked.replaceAll(pattern, () => mask(secret));
  }
  return masked;
}

/** Whether a rule, by its names, tags or weaknesses, is about secrets that were left where others can read them. */
export const findsSecrets = (...names: (string | undefined | null)[]): boolean =>
  names.some((name) => name && SECRET_RULE.test(name));

const SECRET_RULE =
  /(?:^|[^a-z])(?:secrets?|credentials?|passw(?:or)?ds?|passphrases?|hard-?_?coded?|(?:api|private|access|secret|encryption|account)[-_. ]?keys?|(?:github|gitlab|slack|npm|pypi|auth|access|bearer|oauth2?|jwt|refresh|personal|bot|api)[-_. ](?:[a-z]+[-_. ])?tokens?)(?![a-z])|CWE-0*(?:259|321|798)\b/i;

/**
 * Which parts of source text may be a secret: literals, long tokens, assigned words; in prose what stands behind a
 * colon is none.
 */
export function possibleSecrets(text: string, { prose = false } = {}): string[] {
  const found = [
    ...text.matchAll(/-----BEGIN [^-]+-----([\s\S]*?)(?=-----END|$)/g),
    // What a quoted name stands in front of may be the secret; the name is not.
    ...text.matchAll(/(?<!\w)(["'`])((?:\\.|(?!\1)[^\\\n]){1,600})\1(?!\s*(?::|=>|\]))/g),
    ...[
      ...text.matchAll(
        /[\w"'\])][ \t]*(:|=>?|:=)[ \t]*(?!(?:true|false|none|null|undefined)\b)([^\s"'`,;(){}[\]<>]{4,})(?![\w(.[])/gi,
      ),
    ].filter(([, operator]) => !prose || operator === '='),
    ...text.matchAll(/()((?=[\w+/.~-]{0,99}\d)[\w+/.~-]{20,}={0,2}|[\w+/~-]{40,}={0,2})/g),
  ];
  return [...new Set(found.map((match) => match[2] ?? match[1] ?? ''))].filter(({ length }) => length >= 4);
}

const MASKED = '*'.repeat(8);

const HEADER =
  '(?:(?:proxy-)?authorization|(?:set-)?cookie|x-[\\w-]{0,40}(?:key|token|auth|secret)[\\w-]{0,40})';

/** Headers on a line, or quoted as an argument of a command. */
const HEADERS = new RegExp(
  `((?<=')${HEADER}\\s*:\\s*)[^'\\r\\n]+|((?<=")${HEADER}\\s*:\\s*)[^"\\r\\n]+|(^${HEADER}\\s*:[^\\S\\n]*)[^\\r\\n]+`,
  'gim',
);

/** Values by the names of what is secret: in forms, queries, JSON, settings and source. */
const ASSIGNED =
  /([\w.-]{0,40}(?:pass(?:w(?:or)?ds?|phrase)?|pwd|secret|token|credentials?|signature|jwt|otp|sess(?:ion)?[-_]?(?:id)?|(?<![a-z])(?:auth|sid|sig|(?:[a-z]+[-_]?)?key))(?:[-_.]\w{1,40})?["']?\s{0,9}(?:=>?|:=?)\s{0,9})("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[^\s&;,'"<>(){}[\]]+)/gi;

/** The same where the name stands by itself: in a container's environment, and in a Dockerfile. */
const NAMED =
  /(name:\s{0,9}["']?\w{0,40}(?:PASSW|SECRET|TOKEN|CREDENTIAL|KEY)\w{0,40}["']?\s{1,40}value:\s{0,9}|^\s{0,40}(?:ENV|ARG)\s{1,9}\w{0,40}(?:PASSW|SECRET|TOKEN|CREDENTIAL|KEY)\w{0,40}\s{1,9})[^\r\n]+/gim;

const TOKENS =
  /\beyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)?|\bgh[a-z]_\w{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bxox[a-z]-[\w-]{8,}|\bAIza[\w-]{30,}|\b[sr]k_live_\w{16,}|(?<=\b(?:bearer|basic) )[\w.+/=~-]{8,}/gi;

/** Text of requests, settings or source without what lets somebody in: headers, cookies, passwords, tokens. */
export const withoutCredentials = (text: string): string =>
  text
    .replace(/-----BEGIN [^-]+-----[\s\S]*?(?:-----END[^-]*-----|$)/g, MASKED)
    .replace(/(:\/\/[^\s/:@]{0,99}:)[^\s/@]+(?=@)/g, `$1${MASKED}`)
    .replace(HEADERS, `$1$2$3${MASKED}`)
    .replace(ASSIGNED, `$1${MASKED}`)
    .replace(NAMED, `$1${MASKED}`)
    .replace(TOKENS, MASKED);

/** A place where secrets were found, and what they are. */
export interface SecretPlace {
  file: string | undefined;
  line?: number | null | undefined;
  secrets: readonly string[];
}

/**
 * Masks in a text the secrets that were found in its place or near it: the lines that are shown around a finding
 * may hold what another finding is about.
 */
export function masking(places: readonly SecretPlace[]) {
  const byFile = new Map<string, SecretPlace[]>();
  for (const place of places) {
    if (place.secrets.length === 0) continue;
    const file = place.file ?? '';
    const known = byFile.get(file);
    if (known) known.push(place);
    else byFile.set(file, [place]);
  }
  return (own: SecretPlace) => {
    const near = (byFile.get(own.file ?? '') ?? []).filter(
      ({ line }) => Math.abs((line ?? 0) - (own.line ?? 0)) <= LINES_SHOWN || !line || !own.line,
    );
    const others = near.flatMap(({ secrets }) => secrets).filter(({ length }) => length >= 8);
    return (text: string) => withoutSecrets(text, ...own.secrets, ...others);
  };
}

/** How many lines of a file a finding may show before or behind its own, at most. */
const LINES_SHOWN = 50;

/**
 * What of a finding's source goes into its fingerprint: nothing that a secret in it could be found by. That holds
 * for any literal, so that a fingerprint is the same whatever else a report knows to be a secret.
 */
export const identityOf = (source: string, secrets: readonly string[] = []): string[] => [
  normalized(withoutSecrets(source, ...secrets, ...possibleSecrets(source))),
  // A few bits tell literals apart; with more of them they could be found by trying.
  createHash('sha256').update(normalized(source)).digest('hex').slice(0, 4),
];

/** The texts in what a report has as a text, a list of them, or not at all. */
export const texts = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((text) => typeof text === 'string');

/** What a text begins with: its first sentence, or as much of it as fits. */
export function beginning(text: string | undefined | null, max = 160): string {
  const [paragraph = ''] = (text ?? '').trim().split(/\n\s*\n/);
  const flat = normalized(paragraph);
  const [sentence = flat] = /^.{8,}?(?<!\.)[^.\s](?=[.!?](?:\s|$))/.exec(flat) ?? [];
  if (sentence.length <= max) return sentence;
  return `${sentence.slice(0, max).replace(/\s+\S*$/, '')}…`;
}

/** Text as Markdown that shows it as it is. */
export function plain(text: string): string {
  return text
    .split(/\r\n?|\n/)
    .map((line) => line.trim())
    .join('\n')
    .replace(/[`*[<]|_(?!\w)|(?<!\w)_|~(?=~)|(?<=~)~|&(?=#?\w+;)|\\(?=[!-/:-@[-`{-~]|$)/gm, '\\$&')
    .replace(/^(?:#(?=#{0,5}(?:\s|$))|[>|=]|[-+](?=[\s|+-]|$))/gm, '\\$&')
    .replace(/^(\d{1,9})(?=[.)](?:\s|$))/gm, '$1\\')
    .replace(/(?<=\S)\n(?=\S)/g, '  \n');
}

/** Markdown of a report such that it cannot swallow what comes behind it: no HTML, and no code without an end. */
export function markdown(text: string): string {
  let fence = '';
  const lines = text
    .replace(/\r\n?/g, '\n')
    .split('\n')
    .map((line) => {
      const [, mark = ''] = /^\s*(`{3,}(?=[^`]*$)|~{3,})/.exec(line) ?? [];
      if (fence !== '') {
        if (mark.startsWith(fence) && line.trim() === mark) fence = '';
        return line;
      }
      fence = mark;
      if (mark) return line;
      return withoutHtml(line);
    });
  return [...lines, ...(fence ? [fence] : [])].join('\n');
}

/** A line of Markdown whose HTML is text, except in code. */
function withoutHtml(line: string): string {
  const parts = line.split(/(`+)/);
  const last = new Map(parts.map((part, index) => [part, index]));
  let end = -1;
  return parts
    .map((part, index) => {
      if (index <= end) return part;
      if (part.startsWith('`')) {
        const escaped = /\\$/.test(parts[index - 1] ?? '');
        if (!escaped && (last.get(part) ?? 0) > index) end = parts.indexOf(part, index + 1);
        return part;
      }
      return part
        .replace(/<br\s*\/?>/gi, '  \n')
        .replace(/<\/?(?:b|strong)>/gi, '**')
        .replace(/\\.|<(?!https?:\/\/[^\s<>]+>)/g, (found) => (found === '<' ? '&lt;' : found));
    })
    .join('');
}

/** Where a finding is, to be read. */
export const placeOf = (file: string | undefined | null, line?: number | null): string | undefined =>
  file ? `${file}${line && line > 0 ? `:${line}` : ''}` : undefined;

/** The first lines of source text. */
export function excerpt(source: string | undefined | null, max = 30): string | undefined {
  const lines = source?.split('\n') ?? [];
  return lines.length > max ? [...lines.slice(0, max), '…'].join('\n') : (source ?? undefined);
}

/** Text as Markdown code, whatever it contains. */
export function code(text: string, language = ''): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/(?<!\n)\n+$/, '')}\n${fence}`;
}

/** A short text as Markdown code inside a line. */
export function inlineCode(text: string): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  const longest = Math.max(0, ...(flat.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return flat.startsWith('`') || flat.endsWith('`') ? `${fence} ${flat} ${fence}` : `${fence}${flat}${fence}`;
}

export interface Description {
  /** What it is about, Markdown. */
  what?: string | undefined | null;
  /** Labelled facts: package, version, URL … */
  facts?: Record<string, string | number | undefined | null>;
  /** Where it was seen when that is several places, Markdown. */
  where?: string | undefined | null;
  /** The lines of source in question. */
  snippet?: string | undefined | null;
  /** How to fix it, Markdown. */
  fix?: string | undefined | null;
  /** What there is to know beyond that, Markdown. */
  details?: string | undefined | null;
  /** What a tool's documentation says of it, Markdown. */
  help?: string | undefined | null;
  references?: readonly (string | undefined | null)[];
}

/** A finding's description: what, where, fix, references. */
export function describeFinding({
  what,
  facts = {},
  where,
  snippet,
  fix,
  details,
  help,
  references = [],
}: Description): string {
  const lines = Object.entries(facts).filter(
    ([, value]) => value !== undefined && value !== null && String(value).trim() !== '',
  );
  const links = [...new Set(references.filter((link): link is string => Boolean(link?.trim())))];
  return [
    what?.trim(),
    lines.map(([label, value]) => `- **${label}:** ${inlineCode(String(value))}`).join('\n'),
    where?.trim() ? `**Where**\n\n${where.trim()}` : undefined,
    snippet?.trim() ? code(snippet) : undefined,
    fix?.trim() ? `**Fix**\n\n${fix.trim()}` : undefined,
    details?.trim() ? `**Details**\n\n${details.trim()}` : undefined,
    help?.trim() ? `**Help**\n\n${help.trim()}` : undefined,
    links.length > 0
      ? `**References**\n\n${links.map((link) => `- ${reference(link)}`).join('\n')}`
      : undefined,
  ]
    .filter(Boolean)
    .join('\n\n');
}

const reference = (link: string) =>
  /^https?:\/\/[^\s<>]+$/.test(link.trim()) ? `<${link.trim()}>` : inlineCode(link);
