import { ReportError } from '../importers/report-error.ts';

/** The body of a request with a report. */
export interface SentReport {
  body: Uint8Array<ArrayBuffer>;
  contentType: string;
  /** `gzip`, or empty. */
  encoding: string;
}

/** The maximum size that a multipart form adds to its file. */
export const FORM_BYTES = 64 * 1024;

export const isForm = (contentType: string): boolean => /^\s*multipart\/form-data\b/i.test(contentType);

/** The report in a body: without `Content-Encoding`, out of its multipart form, and unpacked if it is a gzip file. */
export async function unwrap(
  { body, contentType, encoding }: SentReport,
  maxBytes: number,
): Promise<Uint8Array> {
  let content = body;
  const isInForm = isForm(contentType);
  if (encoding === 'gzip') content = await inflate(content, maxBytes + (isInForm ? FORM_BYTES : 0));
  if (isInForm) content = await onlyFile(content, contentType);
  if (isGzip(content)) content = await inflate(content, maxBytes);
  if (content.byteLength > maxBytes) throw new TooLargeError(maxBytes);
  return content;
}

const isGzip = ([first, second]: Uint8Array) => first === 0x1f && second === 0x8b;

export class TooLargeError extends ReportError {
  readonly maxBytes: number;

  constructor(maxBytes: number) {
    super(`The report has more than ${maxBytes} bytes, inflated`);
    this.maxBytes = maxBytes;
  }
}

/** Real reports shrink to a tenth or a hundredth. Deflate can shrink equal bytes to a thousandth. */
export const MAX_RATIO = 200;
/** Allowed at any ratio. */
const FREE_BYTES = 8 * 1024 * 1024;

/** @throws ReportError as soon as the content is larger than `maxBytes` or than its compressed size allows */
async function inflate(bytes: Uint8Array<ArrayBuffer>, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const limit = Math.min(maxBytes, Math.max(FREE_BYTES, bytes.byteLength * MAX_RATIO));
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip')).getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read().catch((error) => {
      throw new ReportError(`The gzip data cannot be read: ${(error as Error).message}`);
    });
    if (done) return concatenate(parts, size);
    size += value.byteLength;
    if (size > limit) {
      await reader.cancel().catch(() => {});
      throw limit < maxBytes
        ? new ReportError(`The gzip data inflates to more than ${MAX_RATIO} times its size`)
        : new TooLargeError(maxBytes);
    }
    parts.push(value);
  }
}

function concatenate(parts: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}

async function onlyFile(
  body: Uint8Array<ArrayBuffer>,
  contentType: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const form = await new Response(body, { headers: { 'content-type': contentType } }).formData().catch(() => {
    throw new ReportError('The multipart form cannot be read');
  });
  const files = [...form.values()].filter((value) => typeof value !== 'string');
  const [file] = files;
  if (!file || files.length > 1)
    throw new ReportError(`The multipart form must have one file; it has ${files.length}`);
  return new Uint8Array(await file.arrayBuffer());
}

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
