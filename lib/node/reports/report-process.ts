import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import type { Finding } from '../../importers/finding.ts';
import { createImportLarge } from '../../reports/large.ts';
import { type ReportJob, readReport, refusalOf } from '../../reports/read.ts';
import type { FromReader, ToReader } from './dialogue.ts';

/*
 * The program of a process that reads reports, one after another (`report-processes.ts`). Bodies arrive on standard input,
 * everything else as messages.
 */

/** Below PostgreSQL and the server. */
const NICE = 5;

try {
  setPriority(NICE);
} catch {
  // A sandbox may forbid it.
}
try {
  // If the system runs out of memory, it ends this process before the server.
  writeFileSync('/proc/self/oom_score_adj', '1000');
} catch {
  // Only on Linux.
}
// Ctrl-C reaches all processes of the terminal. This one ends with its server.
process.on('SIGINT', () => {});
process.on('disconnect', () => process.exit());

const send = (message: FromReader) => void process.send?.(message);

let chunks: AsyncGenerator<Finding[]> | undefined;

process.on('message', async (message: ToReader) => {
  if (message.kind === 'next') {
    try {
      send({ kind: 'findings', findings: (await chunks?.next())?.value ?? [] });
    } catch (error) {
      send({ kind: 'refused', ...refusalOf(error, []) });
    }
    return;
  }
  const { length, ...job } = message;
  chunks = undefined;
  const outcome = await readReport({ ...job, body: await readBody(length) } satisfies ReportJob, {
    onUnpacked: (bytes) => send({ kind: 'unpacked', bytes }),
    importLarge: createImportLarge(),
  });
  if (outcome.kind === 'refused') {
    send(outcome);
    return;
  }
  chunks = outcome.chunks;
  send({ kind: 'read', head: outcome.head });
});

async function readBody(length: number): Promise<Uint8Array<ArrayBuffer>> {
  const body = new Uint8Array(length);
  let at = 0;
  while (at < length) {
    const part: Buffer | null = process.stdin.read(
      Math.min(length - at, process.stdin.readableLength) || undefined,
    );
    if (part === null) await once(process.stdin, 'readable');
    else {
      body.set(part, at);
      at += part.byteLength;
    }
  }
  return body;
}
