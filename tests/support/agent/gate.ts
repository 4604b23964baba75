import { once } from 'node:events';
import { createServer, type IncomingMessage, request as open, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterSuite } from '../run/suite.ts';

/** An HTTP proxy before the service that counts pushes, each with a finding or a batch. */
export interface Gate {
  url: string;
  /** Resolves once the service has answered so many pushes, before the last of them gets its answer. */
  reached(count: number): Promise<void>;
  /** Pushes that the service has answered. */
  answered(): number;
  /** The `Warning` header of each answer, empty for none. */
  warnings: readonly string[];
  /** Forwards requests to another server from now on. */
  lead(target: string): void;
}

/**
 * Opens a gate before a service; it is closed after the suite.
 * @param target the service's address
 * @param admits the number of pushes that are forwarded; later ones are never answered
 */
export async function openGate(target: string, admits = Number.POSITIVE_INFINITY): Promise<Gate> {
  let to = target;
  let admitted = 0;
  let answered = 0;
  const warnings: string[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  const server = createServer((request, response) => {
    const isPush =
      request.method === 'POST' && /^\/api\/v1\/agent\/findings(\/batch)?(\?|$)/.test(request.url ?? '');
    if (isPush && ++admitted > admits) return;
    const onAnswer = (answer: IncomingMessage) => {
      warnings.push(String(answer.headers.warning ?? ''));
      if (!isPush) return;
      answered++;
      for (const { count, resolve } of waiting) if (answered >= count) resolve();
    };
    pass(request, response, to, onAnswer);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  afterSuite(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    reached: (count) =>
      new Promise((resolve) => {
        if (answered >= count) resolve();
        else waiting.push({ count, resolve });
      }),
    answered: () => answered,
    warnings,
    lead(target) {
      to = target;
    },
  };
}

/** Forwards a request. A broken connection on one side breaks the other. */
function pass(
  request: IncomingMessage,
  response: ServerResponse,
  to: string,
  onAnswer: (answer: IncomingMessage) => void,
): void {
  const { method, headers, url } = request;
  const onward = open(new URL(url ?? '/', to), { method, headers });
  onward.on('error', () => response.destroy());
  onward.on('response', (answer) => {
    onAnswer(answer);
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.on('error', () => response.destroy()).pipe(response);
  });
  response.on('close', () => onward.destroy());
  request.on('error', () => onward.destroy()).pipe(onward);
}
