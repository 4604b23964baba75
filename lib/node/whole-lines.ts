import type { Readable, Writable } from 'node:stream';

const LINE_BREAK = 0x0a;

/**
 * Passes on what another process says, by whole lines, so that the lines of several do not mix. Reads no faster than
 * `to` takes it. A line without an end, because its process was killed, is dropped.
 */
export function forwardLines(from: Readable, to: Writable): void {
  let begun: Buffer[] = [];
  from.on('data', (chunk: Buffer) => {
    const end = chunk.lastIndexOf(LINE_BREAK) + 1;
    if (end === 0) {
      begun.push(chunk);
      return;
    }
    const lines = Buffer.concat([...begun, chunk.subarray(0, end)]);
    begun = end < chunk.length ? [chunk.subarray(end)] : [];
    // Also when it failed: what nobody reads any more is dropped.
    if (!to.write(lines, () => from.resume())) from.pause();
  });
}
