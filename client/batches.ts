import type { Schemas } from '../lib/client/index.ts';

type Finding = Schemas['FindingInput'];

/** Half of the limits of the service, so that one batch is neither slow nor large. */
const MAX_FINDINGS = 500;
const MAX_BYTES = 4 * 2 ** 20;

/** Groups findings into batches. It takes the next findings only after a batch was used. */
export async function* batchesOf(
  findings: Iterable<Finding> | AsyncIterable<Finding>,
): AsyncGenerator<Finding[], void> {
  let batch: Finding[] = [];
  let bytes = 0;
  for await (const finding of findings) {
    // A UTF-16 unit has up to three bytes in UTF-8.
    const size = JSON.stringify(finding).length * 3;
    if (batch.length === MAX_FINDINGS || (batch.length > 0 && bytes + size > MAX_BYTES)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(finding);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
