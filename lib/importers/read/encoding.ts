import { ReportError } from '../report-error.ts';
import { type ReportSource, startOf } from './source.ts';

/** How the bytes of a report become text. */
export interface Encoding {
  name: string;
  warning?: string | undefined;
}

/** Every byte is a character in it, so different texts stay different. */
const FALLBACK = 'windows-1252';

const START_BYTES = 1024;

/**
 * The encoding that the first bytes state: a byte order mark, UTF-16 without one, or the XML declaration, also behind comments.
 * @throws ReportError if it is not known
 */
function statedEncoding(bytes: Uint8Array): string {
  const [first, second, third, fourth] = bytes;
  if (first === 0xff && second === 0xfe && third === 0 && fourth === 0) throw unknown('UTF-32');
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first && second === 0) return 'utf-16le';
  if (first === 0 && second) return 'utf-16be';
  const start = new TextDecoder(FALLBACK).decode(bytes.subarray(0, START_BYTES));
  const [, label] =
    /^\s*(?:<!--(?:(?!-->)[\s\S])*-->\s*)*<\?xml\s[^>]*?\bencoding\s*=\s*["']([^"']+)["']/.exec(start) ?? [];
  // Bytes in which a declaration can be read are not UTF-16.
  if (!label || first === 0xef || /^utf-?16/i.test(label)) return 'utf-8';
  try {
    return new TextDecoder(label).encoding;
  } catch {
    throw unknown(label);
  }
}

const unknown = (label: string) =>
  new ReportError(`The encoding “${label.slice(0, 40)}” of the report is not known: convert it to UTF-8`);

/** PowerShell writes UTF-16. A broken character in it is replaced. */
const decoderOf = (name: string) => new TextDecoder(name, { fatal: !name.startsWith('utf-16') });

const warningOf = (name: string) =>
  `The report is not valid ${name.toUpperCase()} and was read as Windows-1252`;

/** The text of a report or of a file in it. @param warn called if its encoding is a guess */
export function decodeText(bytes: Uint8Array, warn?: (message: string) => void): string {
  const name = statedEncoding(bytes);
  try {
    return decoderOf(name).decode(bytes);
  } catch {
    warn?.(warningOf(name));
    return new TextDecoder(FALLBACK).decode(bytes);
  }
}

/** The encoding of a report that is not held in memory. Reads all of it. */
export async function encodingOf(source: ReportSource): Promise<Encoding> {
  const name = statedEncoding(await startOf(source, START_BYTES));
  const decoder = decoderOf(name);
  const isValid = (decode: () => string): boolean => {
    try {
      decode();
      return true;
    } catch {
      return false;
    }
  };
  const guessed = { name: FALLBACK, warning: warningOf(name) };
  for await (const chunk of source.open())
    if (!isValid(() => decoder.decode(chunk, { stream: true }))) return guessed;
  return isValid(() => decoder.decode()) ? { name } : guessed;
}
