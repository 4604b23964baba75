import { writeSync } from 'node:fs';

/** Collects log lines and writes them together once per turn of the event loop: one system call for many lines. */
export interface LineWriter {
  write(line: string): void;
  /** Writes at once what is still waiting; call it before the process ends. */
  flush(): void;
}

/** A writer to a file descriptor. What nobody reads any more (a closed pipe) is dropped. */
export function createLineWriter(stream: NodeJS.WriteStream & { fd: number }): LineWriter {
  let waiting = '';
  stream.on('error', () => {});
  return {
    write(line) {
      if (waiting === '') setImmediate(send);
      waiting += line;
    },
    flush() {
      let rest = Buffer.from(waiting);
      waiting = '';
      try {
        while (rest.length > 0) rest = rest.subarray(writeSync(stream.fd, rest));
      } catch {
        // EPIPE, or EAGAIN on a full pipe at the very end.
      }
    },
  };

  function send(): void {
    const text = waiting;
    waiting = '';
    if (text !== '') stream.write(text);
  }
}
