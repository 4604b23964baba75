import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterTest } from '../run/suite.ts';

export interface SeenRequest {
  method: string;
  path: string;
  authorization: string | undefined;
  body: string;
}

/** A server that pretends to be the service and records all requests. */
export interface HostileService {
  url: string;
  /** Its entry in a list of trusted hosts. */
  host: string;
  requests: SeenRequest[];
}

type Answer = (request: SeenRequest, response: ServerResponse) => void;

/** Accepts every key and every finding, as the service does. */
export const accept: Answer = (request, response) => {
  const { method, path } = request;
  const isBatch = path.includes('/agent/findings/batch');
  response.writeHead(method === 'POST' && !isBatch ? 201 : 200, { 'content-type': 'application/json' });
  let result: unknown = RESULT;
  if (isBatch) result = batchResult(request);
  else if (path.includes('/agent/findings') && method === 'GET') result = [];
  response.end(JSON.stringify({ success: true, request_id: 'req_0', result }));
};

function batchResult({ body }: SeenRequest) {
  const { findings } = JSON.parse(body) as { findings: unknown[] };
  const results = findings.map(() => ({ status: 'created', id: RESULT.id, regressed: false }));
  return { created: findings.length, deduplicated: 0, failed: 0, results };
}

const RESULT = {
  id: '019b0000-0000-7000-8000-000000000001',
  project_id: '019b0000-0000-7000-8000-000000000002',
  title: 'A finding',
  status: 'open',
  deduplicated: false,
  filename: 'poc.py',
  language: 'python',
};

/** Starts one on a free port; it closes after the test. */
export async function startHostileService(
  answer: Answer = accept,
  tls?: { key: string; cert: string },
): Promise<HostileService> {
  const requests: SeenRequest[] = [];
  const listener = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = '', url: path = '', headers } = request;
    const seen = {
      method,
      path,
      authorization: headers.authorization,
      body: Buffer.concat(chunks).toString(),
    };
    requests.push(seen);
    answer(seen, response);
  };
  const server = tls ? createHttpsServer(tls, listener) : createHttpServer(listener);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  afterTest(() => {
    server.closeAllConnections();
    server.close();
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: `${tls ? 'https' : 'http'}://${host}`, host, requests };
}
