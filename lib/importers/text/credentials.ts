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
  /\beyJ[\w-]{8,4000}\.[\w-]+(?:\.[\w-]*)?|\bgh[a-z]_\w{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bxox[a-z]-[\w-]{8,}|\bAIza[\w-]{30,}|\b[sr]k_live_\w{16,}/gi;

const HTTP_TOKENS = /(?<=\b(?:bearer|basic) )[\w.+/=~-]{8,}/gi;

const PRIVATE_KEYS = /-----BEGIN [^-]+-----[\s\S]*?(?:-----END[^-]*-----|$)/g;

const URL_PASSWORDS = /(:\/\/[^\s/:@]{0,99}:)[^\s/@]+(?=@)/g;

/** The content of a private key. Texts also name the first line alone. */
const KEY_CONTENTS =
  /(?<=-----BEGIN [^-]{0,40}PRIVATE KEY[^-]{0,20}-----)(?:[\s"'+,|>]|\\[nr])*[A-Za-z0-9+/=]{16,}(?:[\s"'+,|>]|\\[nr]|[A-Za-z0-9+/=]{16,})*/g;

/** Texts that are assigned to secret names. */
const SECRET_LITERALS =
  /([\w.-]{0,40}(?:pass(?:w(?:or)?d|phrase)|pwd|secret|token|credential|(?:api|access|private|encryption)[-_]?key)[\w-]{0,20}["']?\s{0,9}(?:=>?|:=?)\s{0,9})(["'])(?![$%<{*])(?:\\.|(?!\2)[^\\\n]){4,}\2/gi;

/*
 * Most texts contain no credentials. These patterns find the part that every credential of a kind contains in a fraction of the
 * time, because the patterns above try a name of any length at every character.
 */
const MAY_HAVE_HEADER = /(?:authorization|cookie|key|token|auth|secret)[\w-]{0,40}\s*:/i;
const MAY_HAVE_SECRET_LITERAL =
  /(?:pass(?:w(?:or)?d|phrase)|pwd|secret|token|credential|(?:api|access|private|encryption)[-_]?key)[\w-]{0,20}["']?\s{0,9}[=:]/i;
const MAY_HAVE_HTTP_TOKEN = /(?:bearer|basic) /i;

const replaceIf = (isFound: boolean, text: string, pattern: RegExp, by: string): string =>
  isFound ? text.replace(pattern, by) : text;

/**
 * Masks what is certainly a credential in any text, such as documentation with examples: private keys, tokens of known form,
 * passwords in addresses, and texts that are assigned to secret names. Code that computes a value stays.
 */
export function maskObvious(text: string): string {
  let masked = replaceIf(text.includes('PRIVATE KEY'), text, KEY_CONTENTS, MASKED);
  masked = replaceIf(masked.includes('://'), masked, URL_PASSWORDS, `$1${MASKED}`);
  masked = replaceIf(MAY_HAVE_HEADER.test(masked), masked, HEADERS, `$1$2$3${MASKED}`);
  if (MAY_HAVE_SECRET_LITERAL.test(masked))
    masked = masked.replace(SECRET_LITERALS, (found, name, quote) =>
      found.includes(MASKED) ? found : `${name}${quote}${MASKED}${quote}`,
    );
  masked = masked.replace(PROVIDER_TOKENS, MASKED);
  if (!MAY_HAVE_HTTP_TOKEN.test(masked)) return masked;
  return masked.replace(HTTP_TOKENS, (token) => (token.length >= 16 && /\d/.test(token) ? MASKED : token));
}

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
