import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  type BlockStore,
  MAX_REPORT_BYTES,
  MAX_WHOLE_BYTES,
  type ReportSource,
} from '../../lib/importers/parts/index.ts';
import type { PartLimits } from '../../lib/importers/parts/part.ts';
import { formatSize } from '../../lib/importers/read/source.ts';
import { UsageError } from '../errors.ts';
import { createDirectory } from '../journal/folder.ts';
import type { State } from '../trust/state.ts';

/** The sizes that bound the memory. Tests lower them. */
export const sizes = {
  /** How much of a pipe stays in memory before a file is created. */
  memory: 32 * 1024 * 1024,
  /** Larger reports are imported in parts. */
  whole: MAX_WHOLE_BYTES,
  /** Larger reports are refused. */
  report: MAX_REPORT_BYTES,
  /** The parts of a report. */
  parts: undefined as PartLimits | undefined,
};

const CHUNK_BYTES = 1024 * 1024;

/** A report that is small enough to be in memory, or that is read from a file when it is needed. */
export type RawReport = Uint8Array | ReportSource;

/** A report that arrives in chunks, such as on stdin. If it is large, it is written to a file in the state directory. */
export interface Spool {
  /** @throws a system error, or a UsageError if the report is too large */
  write(chunk: Uint8Array): void;
  /** The report. It can be read until the process ends. */
  end(): RawReport;
}

export function createSpool({ directory }: Pick<State, 'directory'>): Spool {
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let file: number | undefined;
  let size = 0;

  function flush(): void {
    try {
      file ??= openTemporary(directory);
      for (const chunk of waiting)
        for (let written = 0; written < chunk.length; ) written += writeSync(file, chunk, written);
    } catch (error) {
      throw new UsageError(`the report cannot be stored in a temporary file (${(error as Error).message})`);
    }
    waiting = [];
    waitingBytes = 0;
  }

  return {
    write(chunk) {
      size += chunk.length;
      if (size > sizes.report) throw new UsageError(tooLarge(size));
      waiting.push(chunk);
      waitingBytes += chunk.length;
      if (waitingBytes > sizes.memory) flush();
    },
    end() {
      if (file === undefined) return Buffer.concat(waiting);
      flush();
      return contentOf(file, size);
    },
  };
}

/** The content of an open file: in memory, or a source. */
export function contentOf(file: number, size: number): RawReport {
  if (size > sizes.report) throw new UsageError(tooLarge(size));
  const source = fileSource(file, size);
  if (size > sizes.whole) return source;
  const bytes = Buffer.alloc(size);
  let length = 0;
  for (let read = -1; read !== 0 && length < size; length += read)
    read = readSync(file, bytes, length, Math.min(CHUNK_BYTES, size - length), length);
  closeSync(file);
  return bytes.subarray(0, length);
}

const tooLarge = (size: number) =>
  `the report is larger than ${formatSize(sizes.report)} (${formatSize(size)}): split the scan`;

function fileSource(file: number, size: number): ReportSource {
  return {
    size,
    async *open() {
      const chunk = Buffer.alloc(CHUNK_BYTES);
      for (let position = 0; ; ) {
        const length = readSync(file, chunk, 0, CHUNK_BYTES, position);
        if (length === 0) return;
        position += length;
        yield chunk.subarray(0, length);
        // Lets timers and I/O run.
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}

/** Keeps the results of a large report in a temporary file. */
export function fileStore({ directory }: Pick<State, 'directory'>): BlockStore {
  let file: number | undefined;
  const sizes: number[] = [];
  return {
    add(block) {
      try {
        file ??= openTemporary(directory);
        for (let written = 0; written < block.length; ) written += writeSync(file, block, written);
      } catch (error) {
        throw new UsageError(
          `the results cannot be stored in a temporary file (${(error as Error).message})`,
        );
      }
      sizes.push(block.length);
    },
    *blocks() {
      let position = 0;
      for (const size of sizes) {
        const block = Buffer.alloc(size);
        for (let read = 0; read < size; ) {
          const length = readSync(file as number, block, read, size - read, position + read);
          if (length === 0) throw new UsageError('the temporary file of the results was changed');
          read += length;
        }
        position += size;
        yield block;
      }
    },
  };
}

/**
 * Opens a file that only this user can read, in the state directory or, if that is read-only, in the one for temporary files.
 * It is removed at once, so that nothing of it is left when the process ends.
 */
function openTemporary(state: string | undefined): number {
  let path = join(state ?? tmpdir(), 'spool', randomUUID());
  let file: number;
  try {
    createDirectory(dirname(path), 0o700);
    file = openSync(path, 'wx+', 0o600);
  } catch {
    path = join(tmpdir(), `svc-agent-${randomUUID()}`);
    file = openSync(path, 'wx+', 0o600);
  }
  try {
    rmSync(path, { force: true });
  } catch {
    // Windows removes no file that is open.
    process.once('exit', () => {
      closeSync(file);
      rmSync(path, { force: true });
    });
  }
  return file;
}
