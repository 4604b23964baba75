import type { Finding } from '../importers/finding.ts';

const CHUNK_FINDINGS = 128;
const CHUNK_CHARACTERS = 500_000;

/** Splits findings into parts that take a few milliseconds to hand over. */
export async function* inChunks(
  batches: AsyncIterable<Finding[]> | Iterable<Finding[]>,
): AsyncGenerator<Finding[]> {
  let chunk: Finding[] = [];
  let characters = 0;
  for await (const batch of batches) {
    for (const finding of batch) {
      chunk.push(finding);
      characters += finding.description.length;
      if (chunk.length < CHUNK_FINDINGS && characters < CHUNK_CHARACTERS) continue;
      yield chunk;
      chunk = [];
      characters = 0;
    }
  }
  if (chunk.length > 0) yield chunk;
}
