import { createRefusals } from '../../../lib/http/app.ts';
import { createHttpServer } from '../../../lib/node/http-server.ts';
import { limit } from '../run/limits.ts';
import { afterSuite } from '../run/suite.ts';
import type { TestApp } from '../server/app.ts';
import { exchangeBytes } from './requests.ts';

/** A response as it arrived. */
export interface WireAnswer {
  status: number;
  /** Names in lower case. */
  head: string;
  body: string;
}

/** A socket to an app on a Node server. */
export interface Wire {
  /**
   * Sends bytes and reads until the server closes the connection or is silent for a while.
   * @param text one character is one byte
   */
  exchange(text: string): Promise<WireAnswer[]>;
}

/** How long a server may take to answer. */
const QUIET_MS = 400;

/** Serves an app for the calling suite. */
export async function openWire({ app, services }: Pick<TestApp, 'app' | 'services'>): Promise<Wire> {
  const server = createHttpServer({ fetch: app.fetch, malformed: createRefusals(services) });
  const port = await server.listen(0, '127.0.0.1');
  afterSuite(() => server.stop(0));
  return {
    async exchange(text) {
      return split((await exchangeBytes(port, text, limit(QUIET_MS))).toString('utf8'));
    },
  };
}

/** Splits received text into responses. */
function split(received: string): WireAnswer[] {
  const answers: WireAnswer[] = [];
  let rest = received;
  while (rest !== '') {
    const [, status, head = '', after = ''] =
      /^HTTP\/1\.1 (\d{3})[^\r\n]*([\s\S]*?)\r\n\r\n([\s\S]*)$/.exec(rest) ?? [];
    if (!status) throw new Error(`not a response: ${JSON.stringify(rest.slice(0, 200))}`);
    const lower = head.toLowerCase();
    const length = Number(/\r\ncontent-length: (\d+)/.exec(lower)?.[1]);
    // Only the last response may have a body without an announced length.
    const body = Number.isNaN(length) ? after : Buffer.from(after).subarray(0, length).toString();
    answers.push({ status: Number(status), head: lower, body });
    rest = Number.isNaN(length) ? '' : Buffer.from(after).subarray(length).toString();
  }
  return answers;
}
