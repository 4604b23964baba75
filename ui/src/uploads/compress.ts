/** Smaller files take as long to compress as to send. */
const MIN_BYTES = 64 * 1024;
const SAMPLE_BYTES = 64 * 1024;
/** Compressing must save at least a fifth, which images and archives do not. */
const WORTHWHILE = 0.8;
/** The service refuses gzip data that inflates to more than 200 times its size, because it could be a gzip bomb. */
const MAX_RATIO = 100;

/**
 * Compresses a file with gzip if that makes the upload faster.
 * @returns undefined if the file is better sent as it is
 */
export async function compress(file: Blob, signal: AbortSignal): Promise<Blob | undefined> {
  if (file.size < MIN_BYTES || typeof CompressionStream === 'undefined') return undefined;
  const sample = file.slice(0, SAMPLE_BYTES);
  if ((await gzip(sample, signal)).size > sample.size * WORTHWHILE) return undefined;
  const packed = await gzip(file, signal);
  return packed.size * MAX_RATIO < file.size ? undefined : packed;
}

const gzip = (content: Blob, signal: AbortSignal): Promise<Blob> =>
  new Response(content.stream().pipeThrough(new CompressionStream('gzip'), { signal })).blob();
