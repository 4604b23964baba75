import { createHash } from 'node:crypto';
import { normalized } from './support.ts';

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
