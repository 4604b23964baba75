import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterTest } from '../run/suite.ts';

export interface SeenPush {
  path: string;
  key: string | undefined;
  body: string;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back
type Envelope = any;

/** An answer in place of the service's. */
export interface OtherAnswer {
  status: number;
  headers?: Record<string, string>;
  body?: string;
}

/**
 * The fault that a request meets. Before the service gets it: another answer, `drop` closes the connection, `stall` never answers.
 * After the service has answered: `lose` closes the connection, `cut` closes it after half of the answer, `hold` never answers,
 * and a function changes the answer. Undefined passes it on.
 */
export type Fault =
  | number
  | OtherAnswer
  | 'drop'
  | 'stall'
  | 'lose'
  | 'cut'
  | 'hold'
  | ((answer: Envelope) => Envelope)
  | undefined;

export interface FaultyProxy {
  url: string;
  /** Pushes that were received, single ones and batches. */
  pushes: SeenPush[];
  /** @param n the number of the request with this path, from 1 */
  fault: (path: string, n: number) => Fault;
  /** Pushes that the service has answered. */
  answered: number;
  /** Requests that wait for an answer in vain. */
  waiting: number;
}

/** Starts an HTTP proxy before a service; it closes after the test. */
export async function startProxy(target: string): Promise<FaultyProxy> {
  const proxy: FaultyProxy = { url: '', pushes: [], fault: () => undefined, answered: 0, waiting: 0 };
  const counts = new Map<string, number>();
  const server = createServer(async (req, res) => {
    const chunks = [];
    for await (const chunk of req) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const [path = ''] = (req.url ?? '').split('?');
    const { host, connection, 'content-length': length, ...headers } = req.headers as Record<string, string>;
    const isPush = path.startsWith('/api/v1/agent/findings');
    if (isPush) proxy.pushes.push({ path, key: headers['idempotency-key'], body: body.toString() });
    counts.set(path, (counts.get(path) ?? 0) + 1);
    const fault = proxy.fault(path, counts.get(path) as number);
    if (fault === 'drop') return req.socket.destroy();
    if (fault === 'stall') return proxy.waiting++;
    if (typeof fault === 'number') return res.writeHead(fault).end('<h1>sorry</h1>');
    if (typeof fault === 'object') return res.writeHead(fault.status, fault.headers).end(fault.body);
    const answer = await fetch(target + req.url, {
      method: req.method ?? 'GET',
      headers,
      ...(body.length > 0 && { body }),
    });
    const text = await answer.text();
    if (isPush) proxy.answered++;
    if (fault === 'hold') return proxy.waiting++;
    if (fault === 'lose') return req.socket.destroy();
    const type = { 'content-type': 'application/json' };
    if (fault === 'cut') {
      res.writeHead(answer.status, { ...type, 'content-length': `${Buffer.byteLength(text)}` });
      return res.write(text.slice(0, text.length / 2), () => req.socket.destroy());
    }
    res.writeHead(answer.status, type);
    return res.end(fault ? JSON.stringify(fault(JSON.parse(text))) : text);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  afterTest(() => {
    server.closeAllConnections();
    server.close();
  });
  proxy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return proxy;
}
