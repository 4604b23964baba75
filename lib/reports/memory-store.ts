import { ReportError } from '../importers/importer.ts';
import type { BlockStore } from '../importers/parts/index.ts';
import { formatSize } from '../importers/read/source.ts';

/** 100,000 findings need 10 MB. */
const MAX_BYTES = 128 * 1024 * 1024;

/** Keeps blocks in memory. @throws ReportError if they are too large */
export function memoryStore(): BlockStore {
  const blocks: Uint8Array[] = [];
  let bytes = 0;
  return {
    add(block) {
      bytes += block.length;
      if (bytes > MAX_BYTES)
        throw new ReportError(`The results need more than ${formatSize(MAX_BYTES)}: split the scan`);
      blocks.push(block);
    },
    blocks: () => blocks,
  };
}
