import { writeSync } from 'node:fs';

/** Collects log lines and writes many of them with one system call. */
export interface LineWriter {
  write(line: string): void;
  /** Writes what is still waiting; resolves when the reader has taken it all, or lets us wait too long. */
  end(): Promise<void>;
}

/** How long a line may wait: short for a reader, long for a server that logs thousands of lines a second. */
const WAIT_MS = 20;
const FULL = 64 * 1024;
const END_MS = 1_000;

/** A writer to a stream of this process; what waits is also written when the process exits. */
export function createLineWriter(stream: NodeJS.WriteStream & { fd: number }): LineWriter {
  let waiting = '';
  let timer: NodeJS.Timeout | undefined;
  // What nobody reads any more (a closed pipe) is dropped.
  stream.on('error', () => {});
  process.once('exit', flush);
  return {
    write(line) {
      waiting += line;
      if (waiting.length >= FULL) send();
      else timer ??= setTimeout(send, WAIT_MS);
    },
    async end() {
      await new Promise<void>((resolve) => {
        const late = setTimeout(resolve, END_MS);
        stream.write(take(), () => {
          clearTimeout(late);
          resolve();
        });
      });
    },
  };

  function take(): string {
    clearTimeout(timer);
    timer = undefined;
    const text = waiting;
    waiting = '';
    return text;
  }

  function send(): void {
    stream.write(take());
  }

  function flush(): void {
    let rest = Buffer.from(take());
    try {
      while (rest.length > 0) rest = rest.subarray(writeSync(stream.fd, rest));
    } catch {
      // EPIPE, or EAGAIN on a full pipe at the very end.
    }
  }
}
