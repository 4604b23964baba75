import { Agent, request } from 'node:http';
import type { FloodPlan, FloodSeen } from './flood.ts';

/** Sends the plan's requests on all connections until it is told to stop; then says what was answered. */
process.once('message', (plan: FloodPlan) => {
  const seen: FloodSeen = { answers: {}, slowestMs: 0 };
  let stopping = false;
  process.once('message', () => {
    stopping = true;
  });
  const agent = new Agent({ keepAlive: true, maxSockets: plan.connections });
  const send = async (connection: number) => {
    for (let sent = 0; !stopping; sent++) {
      const began = performance.now();
      const answer = await post(agent, plan, plan.bodies[(connection + sent) % plan.bodies.length] ?? '');
      seen.answers[answer] = (seen.answers[answer] ?? 0) + 1;
      seen.slowestMs = Math.max(seen.slowestMs, performance.now() - began);
    }
  };
  process.send?.('started');
  // Requests under way finish first, so that the server has nothing left to do.
  void Promise.all(Array.from({ length: plan.connections }, (_, i) => send(i))).then(() => {
    agent.destroy();
    process.send?.(seen, () => process.disconnect());
  });
});

/** @returns the status, and the code of an error of the service */
function post(agent: Agent, { url, headers }: FloodPlan, body: string): Promise<string> {
  return new Promise((resolve) => {
    const sent = request(url, {
      method: 'POST',
      agent,
      headers: { ...headers, 'content-type': 'application/json' },
    });
    sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    sent.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () =>
        resolve([response.statusCode, /"code":"(\w+)"/.exec(text)?.[1]].join(' ').trim()),
      );
      response.on('error', () => resolve('broken'));
    });
    sent.end(body);
  });
}
