const OF_JSON = codesOf(',[{');
const OF_OTHERS = codesOf('<=,;\t\n');
const [QUOTE = 0, BACKSLASH = 0, LESS = 0] = codesOf('"\\<');
const STARTS_OF_JSON = new Set(codesOf('[{"'));

function codesOf(characters: string): number[] {
  return [...characters].map((character) => character.charCodeAt(0));
}

/** Reports of scanners have 20 bytes per value and more, those in XML 30, whose values take longer to parse. */
const BYTES_PER_VALUE = 12;
const BYTES_PER_XML_VALUE = 20;
const MIN_VALUES = 100_000;

/**
 * Whether a report has more values than reports of scanners with `maxBytes`: members of JSON outside of texts, otherwise
 * elements, attributes and cells. Counting takes a tenth of a second for 64 MiB; parsing millions of tiny values takes minutes
 * and gigabytes.
 */
export function hasTooManyValues(content: Uint8Array, maxBytes: number): boolean {
  const first = firstOf(content);
  const isJson = first !== undefined && STARTS_OF_JSON.has(first);
  const max = Math.max(MIN_VALUES, maxBytes / (first === LESS ? BYTES_PER_XML_VALUE : BYTES_PER_VALUE));
  if (content.byteLength <= max) return false;
  const counts = new Uint8Array(256);
  for (const code of isJson ? OF_JSON : OF_OTHERS) counts[code] = 1;
  const { length } = content;
  let values = 0;
  for (let i = 0; i < length; i++) {
    const code = content[i] as number;
    if (isJson && code === QUOTE) {
      for (i++; i < length && content[i] !== QUOTE; i++) if (content[i] === BACKSLASH) i++;
    } else values += counts[code] as number;
    if (values > max) return true;
  }
  return false;
}

const BYTE_ORDER_MARKS = new Set([0xef, 0xbb, 0xbf, 0xfe, 0xff, 0]);

const firstOf = (content: Uint8Array): number | undefined =>
  content.find((code) => code > 0x20 && !BYTE_ORDER_MARKS.has(code));
