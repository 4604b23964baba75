import { createHash } from 'node:crypto';
import type { ImportContext } from '../importer.ts';
import { collapseWhitespace } from '../support.ts';

/** Masks a secret. The first four characters of a long secret stay visible, to recognize it. */
export function mask(secret: string): string {
  const visible = secret.length >= 16 ? 4 : 0;
  return `${secret.slice(0, visible)}${'*'.repeat(8)}`;
}

/** Masks every occurrence of secrets in a text, including the long lines of multi-line secrets. */
export const maskSecrets = (text: string, ...secrets: (string | undefined | null)[]): string =>
  maskAll(text, secrets);

/** Characters times secrets. A text with more is masked as a whole. */
const MAX_WORK = 300_000_000;

const isTooMuch = (text: string, secrets: readonly unknown[]) => text.length * secrets.length > MAX_WORK;

function maskAll(text: string, secrets: readonly (string | undefined | null)[]): string {
  if (isTooMuch(text, secrets)) return mask(text);
  const parts = secrets.flatMap((secret) => (secret ? partsOf(secret) : []));
  // Longest first, because a secret may contain another one.
  const ordered = [...new Set(parts)].sort((a, b) => b.length - a.length);
  let masked = text;
  for (const secret of ordered) {
    // A password that is a short word is not masked inside other words.
    const isWord = /^[a-z]{1,7}$/i.test(secret);
    const pattern = isWord ? new RegExp(`(?<![a-z_])${secret}(?![a-z_])`, 'gi') : secret;
    masked = masked.replaceAll(pattern, () => mask(secret));
  }
  return masked;
}

/** What to mask of a secret. */
function partsOf(secret: string): string[] {
  const lines = secret.split(/\r?\n/).map((line) => line.trim());
  const longLines = lines.length > 1 ? lines.filter(({ length }) => length >= 16) : [];
  return [secret, secret.trim(), ...longLines].filter(Boolean);
}

/** Whether a rule reports exposed secrets, judged by its names, tags and CWE ids. */
export const isSecretRule = (...names: (string | undefined | null)[]): boolean =>
  names.some((name) => name && SECRET_RULE_NAME.test(name));

const SECRET_RULE_NAME =
  /(?:^|[^a-z])(?:secrets?|credentials?|passw(?:or)?ds?|passphrases?|hard-?_?coded?|(?:api|private|access|secret|encryption|account)[-_. ]?keys?|(?:github|gitlab|slack|npm|pypi|auth|access|bearer|oauth2?|jwt|refresh|personal|bot|api)[-_. ](?:[a-z]+[-_. ])?tokens?)(?![a-z])|CWE-0*(?:259|321|798)\b/i;

/**
 * The parts of source code that may be secrets: literals, long tokens and assigned words.
 * @param options.prose the text is a message, in which a word after a colon is not a secret
 */
export function secretCandidates(text: string, { prose = false } = {}): string[] {
  const matches = [
    ...text.matchAll(/-----BEGIN [^-]+-----([\s\S]*?)(?=-----END|$)/g),
    // A quoted name before a value is not a secret; the value may be.
    ...text.matchAll(/(?<!\w)(["'`])((?:\\.|(?!\1)[^\\\n]){1,600})\1(?!\s*(?::|=>|\]))/g),
    ...[
      ...text.matchAll(
        /[\w"'\])][ \t]*(:|=>?|:=)[ \t]*(?!(?:true|false|none|null|undefined)\b)([^\s"'`,;(){}[\]<>]{4,})(?![\w(.[])/gi,
      ),
    ].filter(([, operator]) => !prose || operator === '='),
    ...text.matchAll(/()((?=[\w+/.~-]{0,99}\d)[\w+/.~-]{20,}={0,2}|[\w+/~-]{40,}={0,2})/g),
  ];
  return [...new Set(matches.map((match) => match[2] ?? match[1] ?? ''))].filter(({ length }) => length >= 4);
}

const MASKED = '*'.repeat(8);

const HEADER =
  '(?:(?:proxy-)?authorization|(?:set-)?cookie|x-[\\w-]{0,40}(?:key|token|auth|secret)[\\w-]{0,40})';

/** Headers on a separate line, or quoted as a command-line argument. */
const HEADERS = new RegExp(
  `((?<=')${HEADER}\\s*:\\s*)[^'\\r\\n]+|((?<=")${HEADER}\\s*:\\s*)[^"\\r\\n]+|(^${HEADER}\\s*:[^\\S\\n]*)[^\\r\\n]+`,
  'gim',
);

/** Values that are assigned to secret names in forms, queries, JSON, settings and source code. */
const ASSIGNMENTS =
  /([\w.-]{0,40}(?:pass(?:w(?:or)?ds?|phrase)?|pwd|secret|token|credentials?|signature|jwt|otp|sess(?:ion)?[-_]?(?:id)?|(?<![a-z])(?:auth|sid|sig|(?:[a-z]+[-_]?)?key))(?:[-_.]\w{1,40})?["']?\s{0,9}(?:=>?|:=?)\s{0,9})("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[^\s&;,'"<>(){}[\]]+)/gi;

/** Values of secret names in the environment of a container and in a Dockerfile. */
const NAME_VALUE_PAIRS =
  /(name:\s{0,9}["']?\w{0,40}(?:PASSW|SECRET|TOKEN|CREDENTIAL|KEY)\w{0,40}["']?\s{1,40}value:\s{0,9}|^\s{0,40}(?:ENV|ARG)\s{1,9}\w{0,40}(?:PASSW|SECRET|TOKEN|CREDENTIAL|KEY)\w{0,40}\s{1,9})[^\r\n]+/gim;

const PROVIDER_TOKENS =
  /\beyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)?|\bgh[a-z]_\w{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bxox[a-z]-[\w-]{8,}|\bAIza[\w-]{30,}|\b[sr]k_live_\w{16,}/gi;

const HTTP_TOKENS = /(?<=\b(?:bearer|basic) )[\w.+/=~-]{8,}/gi;

const PRIVATE_KEYS = /-----BEGIN [^-]+-----[\s\S]*?(?:-----END[^-]*-----|$)/g;

const URL_PASSWORDS = /(:\/\/[^\s/:@]{0,99}:)[^\s/@]+(?=@)/g;

/** The content of a private key. Texts also name the first line alone. */
const KEY_CONTENTS =
  /(?<=-----BEGIN [^-]{0,40}PRIVATE KEY[^-]{0,20}-----)(?:[\s"'+,|>]|\\[nr])*[A-Za-z0-9+/=]{16,}(?:[\s"'+,|>]|\\[nr]|[A-Za-z0-9+/=]{16,})*/g;

/** Texts that are assigned to secret names. */
const SECRET_LITERALS =
  /([\w.-]{0,40}(?:pass(?:w(?:or)?d|phrase)|pwd|secret|token|credential|(?:api|access|private|encryption)[-_]?key)[\w-]{0,20}["']?\s{0,9}(?:=>?|:=?)\s{0,9})(["'])(?![$%<{*])(?:\\.|(?!\2)[^\\\n]){4,}\2/gi;

/**
 * Masks what is certainly a credential in any text, such as documentation with examples: private keys, tokens of known form,
 * passwords in addresses, and texts that are assigned to secret names. Code that computes a value stays.
 */
export const maskObvious = (text: string): string =>
  text
    .replace(KEY_CONTENTS, MASKED)
    .replace(URL_PASSWORDS, `$1${MASKED}`)
    .replace(HEADERS, `$1$2$3${MASKED}`)
    .replace(SECRET_LITERALS, (found, name, quote) =>
      found.includes(MASKED) ? found : `${name}${quote}${MASKED}${quote}`,
    )
    .replace(PROVIDER_TOKENS, MASKED)
    .replace(HTTP_TOKENS, (token) => (token.length >= 16 && /\d/.test(token) ? MASKED : token));

/** Masks credentials in requests, settings and source code: authentication headers, cookies, passwords and tokens. */
export const maskCredentials = (text: string): string =>
  text
    .replace(PRIVATE_KEYS, MASKED)
    .replace(URL_PASSWORDS, `$1${MASKED}`)
    .replace(HEADERS, `$1$2$3${MASKED}`)
    .replace(ASSIGNMENTS, `$1${MASKED}`)
    .replace(NAME_VALUE_PAIRS, `$1${MASKED}`)
    .replace(PROVIDER_TOKENS, MASKED)
    .replace(HTTP_TOKENS, MASKED);

/** The location of a finding and the secrets in it. */
export interface SecretLocation {
  file: string | undefined;
  line?: number | null | undefined;
  secrets: readonly string[];
}

/** Secrets and their lines, by the first characters of what to mask of them. */
type SecretIndex = Map<string, Map<string, number[]>>;

/** Shorter secrets are masked at their own location only. */
const INDEXED = 8;

/**
 * Creates a function that masks the secrets at a location and near it, because the lines shown around a finding may
 * contain the secret of another finding. A file may contain thousands of secrets, so they are looked up by their start.
 */
export function createMasker(
  locations: readonly SecretLocation[],
  { parts }: Pick<ImportContext, 'parts'> = {},
) {
  const byFile = parts?.secrets(locations) ?? secretsByFile(locations);
  return (current: SecretLocation) => {
    const index = indexOf(byFile.get(current.file ?? ''));
    return (text: string) =>
      isTooMuch(text, current.secrets)
        ? mask(text)
        : maskAll(text, [...current.secrets, ...secretsIn(text, current.line, index)]);
  };
}

export function secretsByFile<Location extends SecretLocation>(
  locations: readonly Location[],
  byFile = new Map<string, Location[]>(),
): Map<string, Location[]> {
  for (const location of locations) {
    if (location.secrets.length === 0) continue;
    const file = location.file ?? '';
    const known = byFile.get(file);
    if (known) known.push(location);
    else byFile.set(file, [location]);
  }
  return byFile;
}

/** The indexes of lists of locations, which may grow. */
const indexes = new WeakMap<readonly SecretLocation[], { index: SecretIndex; indexed: number }>();

function indexOf(locations: readonly SecretLocation[] | undefined): SecretIndex | undefined {
  if (!locations) return undefined;
  const state = entryOf(indexes, locations, () => ({ index: new Map() as SecretIndex, indexed: 0 }));
  for (const { line, secrets } of locations.slice(state.indexed)) {
    for (const secret of secrets) {
      if (secret.length < INDEXED) continue;
      for (const part of partsOf(secret)) {
        if (part.length < INDEXED) continue;
        const sameStart = entryOf(
          state.index,
          part.slice(0, INDEXED),
          (): Map<string, number[]> => new Map(),
        );
        entryOf(sameStart, secret, (): number[] => []).push(line ?? 0);
      }
    }
  }
  state.indexed = locations.length;
  return state.index;
}

function entryOf<K, V>(
  map: { get(key: K): V | undefined; set(key: K, value: V): unknown },
  key: K,
  create: () => V,
): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const created = create();
  map.set(key, created);
  return created;
}

/** The secrets near a line of which a text may contain a part. */
function secretsIn(text: string, line: number | null | undefined, index: SecretIndex | undefined): string[] {
  const found = new Set<string>();
  for (let at = 0; index && at + INDEXED <= text.length; at++) {
    for (const [secret, lines] of index.get(text.slice(at, at + INDEXED)) ?? []) {
      if (found.has(secret) || !partsOf(secret).some((part) => text.startsWith(part, at))) continue;
      const isNear = lines.some((other) => !line || !other || Math.abs(other - line) <= MAX_CONTEXT_LINES);
      if (isNear) found.add(secret);
    }
  }
  return [...found];
}

/** A finding shows at most this many lines before or after its own. */
const MAX_CONTEXT_LINES = 50;

/**
 * The parts of a fingerprint that come from source code. All literals are masked, so that the fingerprint reveals no
 * secret and does not depend on which literals the report marks as secrets.
 */
export function sourceIdentity(source: string, secrets: readonly string[] = []): string[] {
  // The work for the literals of a generated line would be quadratic.
  const shown =
    source.length > MAX_SOURCE
      ? `${source.slice(0, MAX_SOURCE / 2)}\n${source.slice(-MAX_SOURCE / 2)}`
      : source;
  return [
    collapseWhitespace(maskAll(shown, [...secrets, ...secretCandidates(shown)])),
    shortDigest(collapseWhitespace(source)),
  ];
}

const MAX_SOURCE = 20_000;

/** The same for code that contains no secrets, so that its literals need no masks, except what is certainly a credential. */
export const plainIdentity = (source: string): string[] => [
  collapseWhitespace(maskObvious(source)),
  shortDigest(collapseWhitespace(source)),
];

/** 16 bits distinguish literals. More bits would allow guessing a secret by trial. */
export const shortDigest = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 4);
