import { writeSync } from 'node:fs';

/** Buffers log lines to write many of them with one system call. */
export interface LineWriter {
  write(line: string): void;
  /** Flushes the buffer. Resolves when the reader has read everything, or after 1 s. */
  end(): Promise<void>;
}

/** How long a line may be buffered: not noticeable to people, and long enough to collect many lines under load. */
const FLUSH_MS = 20;
const BUFFER_SIZE = 64 * 1024;
const END_MS = 1_000;

/** Creates a writer to a stream of this process. The buffer is also flushed when the process exits. */
export function createLineWriter(stream: NodeJS.WriteStream & { fd: number }): LineWriter {
  let buffer = '';
  let timer: NodeJS.Timeout | undefined;
  // Lines for a closed pipe are dropped.
  stream.on('error', () => {});
  process.once('exit', flushSync);
  return {
    write(line) {
      buffer += line;
      if (buffer.length >= BUFFER_SIZE) flush();
      else timer ??= setTimeout(flush, FLUSH_MS);
    },
    async end() {
      await new Promise<void>((resolve) => {
        const timeout = setTimeout(resolve, END_MS);
        stream.write(takeBuffer(), () => {
          clearTimeout(timeout);
          resolve();
        });
      });
    },
  };

  function takeBuffer(): string {
    clearTimeout(timer);
    timer = undefined;
    const text = buffer;
    buffer = '';
    return text;
  }

  function flush(): void {
    stream.write(takeBuffer());
  }

  function flushSync(): void {
    let rest = Buffer.from(takeBuffer());
    try {
      while (rest.length > 0) rest = rest.subarray(writeSync(stream.fd, rest));
    } catch {
      // EPIPE, or EAGAIN on a full pipe: the process exits anyway.
    }
  }
}
