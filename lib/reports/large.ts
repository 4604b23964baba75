import { TooManyError } from '../importers/importer.ts';
import { importInParts } from '../importers/parts/index.ts';
import { memoryStore } from './memory-store.ts';
import { type ImportLarge, MAX_FINDINGS, WORKSPACE } from './read.ts';

/** Smaller reports are imported at once, which takes 2 to 3 times the memory and 60 % of the processor time. */
const MIN_BYTES = 16 * 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;

/**
 * Imports a large report in parts, which takes a fraction of the memory. The caller imports a report
 * at once if it cannot be split, also if it is invalid: that import knows the position of the error.
 * @throws TooManyError
 */
export const createImportLarge =
  (minBytes = MIN_BYTES): ImportLarge =>
  async (content, options) => {
    if (content.byteLength < minBytes || !isSplittable(content)) return undefined;
    const source = {
      size: content.byteLength,
      async *open() {
        for (let at = 0; at < content.byteLength; at += CHUNK_BYTES)
          yield content.subarray(at, at + CHUNK_BYTES);
      },
    };
    try {
      return await importInParts(source, WORKSPACE, {
        ...options,
        ...{ maxFindings: MAX_FINDINGS, createStore: memoryStore },
      });
    } catch (error) {
      if (error instanceof TooManyError) throw error;
      return undefined;
    }
  };

/** JSON or XML in UTF-8. The number of rows of CSV is known only when it has been read. */
function isSplittable(content: Uint8Array): boolean {
  const start = new TextDecoder().decode(content.subarray(0, 64)).trimStart();
  return /^[[{<]/.test(start);
}
