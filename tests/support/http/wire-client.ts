import { connect, type Socket } from 'node:net';
import { createResponseReader, type WireResponse } from './responses.ts';

/** A client with one connection: as much HTTP as the service's responses need, for a fraction of the cost of `node:http`. */
export interface WireClient {
  /** Sends a whole request and resolves with its response. Opens a new connection when there is none. */
  exchange(text: string): Promise<WireResponse>;
  close(): void;
}

const TIMEOUT_MS = 40_000;

export function createWireClient(url: string): WireClient {
  const { hostname, port } = new URL(url);
  let socket: Socket | undefined;
  let waiting: { resolve(response: WireResponse): void; reject(error: Error): void } | undefined;

  function open(): Socket {
    const opened = connect({ host: hostname, port: Number(port), noDelay: true });
    const reader = createResponseReader();
    const lose = (reason: string) => {
      if (socket === opened) socket = undefined;
      else return;
      waiting?.reject(new Error(reason));
      waiting = undefined;
    };
    opened.setTimeout(TIMEOUT_MS, () => opened.destroy(new Error('no answer')));
    // One character for each byte.
    opened.setEncoding('latin1').on('data', (chunk: string) =>
      reader.read(chunk, (response) => {
        if (response.last) socket = undefined;
        waiting?.resolve(response);
        waiting = undefined;
      }),
    );
    opened.on('error', (error: NodeJS.ErrnoException) => lose(error.code ?? error.message));
    opened.on('end', () => lose('closed'));
    opened.on('close', () => lose('closed'));
    return opened;
  }
  return {
    exchange(text) {
      socket ??= open();
      socket.write(text, 'latin1');
      return new Promise((resolve, reject) => {
        waiting = { resolve, reject };
      });
    },
    close() {
      const opened = socket;
      socket = undefined;
      opened?.destroy();
    },
  };
}
