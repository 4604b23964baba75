import type { Context } from 'hono';
import { ApiError, type FieldError } from '../../errors.ts';

/** How to read a body. */
export interface BodyLimits {
  maxBytes: number;
  /** The length of the body, if it is announced. */
  length?: number | undefined;
  /** Called with the number of bytes that have arrived. */
  onProgress?: (bytes: number) => void;
  /** Called once, before more than `FIRST_BYTES` are kept of a body without an announced length. */
  onLarge?: () => Promise<void>;
  tooLarge?: () => ApiError;
}

/** As much as the headers of a request may have. */
export const FIRST_BYTES = 16 * 1024;
/** Chunks of any size. */
const FREE_CHUNKS = 10_000;
/** Further chunks have at least this many bytes, on average over the body. */
const MIN_CHUNK_BYTES = 256;

export const bodyTooLarge = (maxBytes: number, details?: FieldError[]): ApiError =>
  new ApiError('validation_error/invalid_body', {
    message: `The body must have at most ${maxBytes} bytes.`,
    ...(details && { details }),
  });

/**
 * Reads a body whose length is not trusted. Reading a chunk takes microseconds, whatever its size, and the chunks of one read
 * from the socket leave no time to other requests. So the number of tiny chunks is limited.
 * @throws ApiError `invalid_body`; the error of the stream if it ends early
 */
export async function readBody(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  { maxBytes, length, onProgress, onLarge, tooLarge = () => bodyTooLarge(maxBytes) }: BodyLimits,
): Promise<Uint8Array<ArrayBuffer>> {
  let bytes = new Uint8Array(length ?? Math.min(FIRST_BYTES, maxBytes));
  let size = 0;
  let isLarge = false;
  for (let chunks = 1; ; chunks++) {
    const { done, value } = await reader.read();
    if (done) return size === bytes.byteLength ? bytes : bytes.slice(0, size);
    const end = size + value.byteLength;
    if (end > maxBytes) throw tooLarge();
    if (chunks > FREE_CHUNKS + end / MIN_CHUNK_BYTES)
      throw new ApiError('validation_error/invalid_body', {
        message: 'The body must not be sent in so many small chunks.',
      });
    if (end > bytes.byteLength) {
      if (!isLarge) await onLarge?.();
      isLarge = true;
      const larger = new Uint8Array(Math.min(maxBytes, Math.max(end, 2 * bytes.byteLength)));
      larger.set(bytes.subarray(0, size));
      bytes = larger;
    }
    bytes.set(value, size);
    size = end;
    onProgress?.(size);
  }
}

/** The length that the HTTP server enforces; undefined if the body comes without its length. */
export function announcedLength(c: Context): number | undefined {
  const length = c.req.header('content-length');
  return length === undefined || c.req.header('transfer-encoding') !== undefined ? undefined : Number(length);
}
