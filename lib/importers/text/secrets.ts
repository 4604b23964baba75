import type { ImportContext } from '../importer.ts';

/** The fix for an exposed secret. */
export const REVOKE_SECRET =
  'Revoke the secret and issue a new one, because the history keeps what was committed. Then remove it from the code.';

/** Masks a secret. The first four characters of a long secret stay visible, to recognize it. */
export function mask(secret: string): string {
  const visible = secret.length >= 16 ? 4 : 0;
  return `${secret.slice(0, visible)}${'*'.repeat(8)}`;
}

/** Characters times secrets. A text with more is masked as a whole. */
const MAX_WORK = 300_000_000;

const isTooMuch = (text: string, secrets: readonly unknown[]) => text.length * secrets.length > MAX_WORK;

/** Masks every occurrence of secrets in a text, including the long lines of multi-line secrets. */
export function maskSecrets(text: string, secrets: readonly (string | undefined | null)[]): string {
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

/** The texts to mask for a secret. */
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
        : maskSecrets(text, [...current.secrets, ...secretsIn(text, current.line, index)]);
  };
}

/** Converts entries, each with the function that masks the secrets at its location and near it. */
export function mapMasked<Entry extends { location: SecretLocation }, Converted>(
  entries: readonly Entry[],
  context: Pick<ImportContext, 'parts'>,
  convert: (entry: Entry, mask: (text: string) => string) => Converted,
): Converted[] {
  const maskerFor = createMasker(
    entries.map(({ location }) => location),
    context,
  );
  return entries.map((entry) => convert(entry, maskerFor(entry.location)));
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
