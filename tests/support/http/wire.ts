import net from 'node:net';
import { createRefusals } from '../../../lib/http/app.ts';
import { createHttpServer } from '../../../lib/node/http-server.ts';
import { limit } from '../run/limits.ts';
import { afterSuite } from '../run/suite.ts';
import type { TestApp } from '../server/app.ts';

/** A response as it came over the wire. */
export interface WireAnswer {
  status: number;
  /** Names in lower case. */
  head: string;
  body: string;
}

/** Bytes over a socket to an app on a Node server. */
export interface Wire {
  /**
   * Sends bytes and reads until the server closes, or nothing has come for a while.
   * @param text one character is one byte
   */
  exchange(text: string): Promise<WireAnswer[]>;
}

/** So long a server may take for what it has not answered yet. */
const QUIET_MS = 400;

/** Serves an app for the calling suite. */
export async function openWire({ app, services }: Pick<TestApp, 'app' | 'services'>): Promise<Wire> {
  const server = createHttpServer({ fetch: app.fetch, malformed: createRefusals(services) });
  const port = await server.listen(0, '127.0.0.1');
  afterSuite(() => server.stop(0));
  return {
    async exchange(text) {
      const received = await new Promise<string>((resolve) => {
        const chunks: Buffer[] = [];
        const socket = net.connect(port, '127.0.0.1', () => socket.write(text, 'latin1'));
        const end = () => {
          socket.destroy();
          resolve(Buffer.concat(chunks).toString('utf8'));
        };
        socket.setTimeout(limit(QUIET_MS), end);
        socket.on('data', (chunk) => chunks.push(chunk));
        // A server that has refused a body need not read the rest of it.
        socket.on('error', end);
        socket.on('close', end);
      });
      return split(received);
    },
  };
}

/** The responses in what came. */
function split(received: string): WireAnswer[] {
  const answers: WireAnswer[] = [];
  let rest = received;
  while (rest !== '') {
    const [, status, head = '', after = ''] =
      /^HTTP\/1\.1 (\d{3})[^\r\n]*([\s\S]*?)\r\n\r\n([\s\S]*)$/.exec(rest) ?? [];
    if (!status) throw new Error(`not a response: ${JSON.stringify(rest.slice(0, 200))}`);
    const lower = head.toLowerCase();
    const length = Number(/\r\ncontent-length: (\d+)/.exec(lower)?.[1]);
    // A body of no announced length is the last thing we ask for.
    const body = Number.isNaN(length) ? after : Buffer.from(after).subarray(0, length).toString();
    answers.push({ status: Number(status), head: lower, body });
    rest = Number.isNaN(length) ? '' : Buffer.from(after).subarray(length).toString();
  }
  return answers;
}
