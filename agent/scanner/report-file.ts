import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { isGzip } from '../../lib/importers/read/source.ts';
import { UsageError } from '../errors.ts';
import { errorCode } from '../journal/folder.ts';
import type { State } from '../trust/state.ts';
import { contentOf, createSpool, type RawReport, sizes } from './spool.ts';

const STDIN = 0;
const CHUNK_BYTES = 64 * 1024;

/** Opens a report. @param file a path, or `-` for stdin @throws UsageError if it cannot be read */
export function openReport(file: string, state: Pick<State, 'directory'>): RawReport {
  try {
    const descriptor = file === '-' ? STDIN : openSync(file, 'r');
    const stat = fstatSync(descriptor);
    // A pipe or a terminal does not state its size.
    if (stat.isFile() && file !== '-') return contentOf(descriptor, stat.size);
    const spool = createSpool(state);
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (;;) {
      const length = readSync(descriptor, chunk, 0, CHUNK_BYTES, null);
      if (length === 0) break;
      spool.write(Buffer.from(chunk.subarray(0, length)));
    }
    if (file !== '-') closeSync(descriptor);
    return spool.end();
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(`${file}: ${error.message}`);
    throw new UsageError(`${file}: cannot be read (${errorCode(error)})`);
  }
}

/** Unpacks a report in gzip. It remains packed if it is too large to be unpacked in memory. */
export function unpack(content: RawReport): RawReport {
  if (!(content instanceof Uint8Array) || !isGzip(content)) return content;
  try {
    return gunzipSync(content, { maxOutputLength: sizes.whole });
  } catch (error) {
    if (errorCode(error) !== 'ERR_BUFFER_TOO_LARGE')
      throw new UsageError(`the gzip file cannot be read: ${(error as Error).message}`);
    return {
      size: content.length,
      async *open() {
        for (let at = 0; at < content.length; at += CHUNK_BYTES) yield content.subarray(at, at + CHUNK_BYTES);
      },
    };
  }
}
