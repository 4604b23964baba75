import { ReportError } from '../importer.ts';

/** The bytes of a report, which can be read several times. */
export interface ReportSource {
  /** In bytes, as they are stored. */
  readonly size: number;
  /** Reads all bytes. A chunk may be reused when the next one is read. */
  open(): AsyncIterable<Uint8Array>;
}

/** The text of a report from its beginning. */
export type Texts = () => AsyncIterable<string>;

/** Limits against bombs, as for ZIP archives. */
const MAX_RATIO = 200;
const FREE_BYTES = 64 * 1024 * 1024;

export const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

/** The first bytes of a source. */
export async function startOf(source: ReportSource, count: number): Promise<Uint8Array> {
  const start = new Uint8Array(count);
  let length = 0;
  for await (const chunk of source.open()) {
    const part = chunk.subarray(0, count - length);
    start.set(part, length);
    length += part.length;
    if (length === count) break;
  }
  return start.subarray(0, length);
}

/**
 * Unpacks a report in gzip while it is read. Others are returned as they are.
 * @param maxBytes the limit of the unpacked report
 */
export async function unpacked(source: ReportSource, maxBytes: number): Promise<ReportSource> {
  return isGzip(await startOf(source, 2))
    ? { size: source.size, open: () => gunzip(source, maxBytes) }
    : source;
}

async function* gunzip(source: ReportSource, maxBytes: number): AsyncIterable<Uint8Array> {
  let bytes = 0;
  try {
    const stream = ReadableStream.from(copies(source)).pipeThrough(new DecompressionStream('gzip'));
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      if (bytes > maxBytes)
        throw new ReportError(`The report is larger than ${formatSize(maxBytes)} unpacked`);
      if (bytes > FREE_BYTES && bytes > source.size * MAX_RATIO)
        throw new ReportError(`The report is packed more than ${MAX_RATIO} times: unpack it first`);
      yield chunk;
    }
  } catch (error) {
    if (error instanceof ReportError) throw error;
    throw new ReportError(`The gzip file cannot be read: ${(error as Error).message}`);
  }
}

/** The stream may still read a chunk when the source overwrites it. */
async function* copies(source: ReportSource): AsyncIterable<Uint8Array> {
  for await (const chunk of source.open()) yield chunk.slice();
}

/** Larger chunks would block the event loop and become larger parts. */
const MAX_CHUNK = 256 * 1024;

/** @param encoding its name */
export async function* textOf(source: ReportSource, encoding: string): AsyncIterable<string> {
  const decoder = new TextDecoder(encoding);
  for await (const chunk of source.open())
    for (let at = 0; at < chunk.length; at += MAX_CHUNK)
      yield decoder.decode(chunk.subarray(at, at + MAX_CHUNK), { stream: true });
  yield decoder.decode();
}

/** `512 MB` */
export const formatSize = (bytes: number): string =>
  `${Math.ceil(bytes / (1024 * 1024)).toLocaleString('en')} MB`;
