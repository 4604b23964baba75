import { Agent, request as httpRequest } from 'node:http';
import type { WireRequest } from '../../tests/support/http/requests.ts';
import { median } from '../../tests/support/scenario/stats.ts';
import type { BenchServer } from '../../tests/support/server/bench-server.ts';

const REQUESTS = 200;

/** Measures the median time in milliseconds of requests sent one after the other on one connection. */
export function sequentially({ origin }: BenchServer, request: WireRequest): () => Promise<number> {
  return async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const times: number[] = [];
    for (let i = 0; i < REQUESTS; i++) {
      const began = performance.now();
      const status = await send(agent, origin, request);
      if (status !== 200) throw new Error(`${request.path}: ${status}`);
      times.push(performance.now() - began);
    }
    agent.destroy();
    return median(times);
  };
}

/** Sends a request and reads its answer to the end; @returns the status */
export function send(
  agent: Agent,
  origin: string,
  { method, path, headers, body }: WireRequest,
): Promise<number> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const type = text === undefined ? {} : { 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      `${origin}/api/v1${path}`,
      { agent, method, headers: { ...headers, ...type } },
      (answer) => {
        answer.resume();
        answer.on('end', () => resolve(answer.statusCode ?? 0));
        answer.on('error', reject);
      },
    );
    sent.on('error', reject);
    sent.end(text);
  });
}
