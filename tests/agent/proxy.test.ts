import { existsSync } from 'node:fs';
import { createServer, request as open } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { writeReport } from '../support/agent/agent.ts';
import { type AgentSuite, useAgentProject } from '../support/agent/agent-project.ts';
import { startHostileService } from '../support/hostile/service.ts';
import { afterTest } from '../support/run/suite.ts';

/* The agent behind a proxy, and without one. */

let { server, workspace, agent, findings }: AgentSuite = {} as AgentSuite;

useAgentProject((suite) => {
  ({ server, workspace, agent, findings } = suite);
});

/** Starts an HTTP proxy that closes after the test. @returns its address, and the hosts that it connected to */
async function startProxy() {
  const hosts: string[] = [];
  const proxy = createServer((request, response) => {
    const url = new URL(request.url ?? '');
    hosts.push(url.host);
    const onward = open(url, { method: request.method, headers: request.headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onward);
  });
  proxy.on('connect', (request, socket) => {
    hosts.push(request.url ?? '');
    const { hostname, port } = new URL(`http://${request.url}`);
    const onward = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
  });
  await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening));
  afterTest(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, hosts };
}

it.each(['HTTP_PROXY', 'http_proxy'])('sends everything through the proxy of %s', async (name) => {
  const proxy = await startProxy();
  const run = await agent(['report', writeReport(workspace, 3)], { [name]: proxy.url });
  expect([run.code, run.err]).toEqual([0, expect.not.stringContaining('warning')]);
  expect(await findings()).toHaveLength(3);
  expect(new Set(proxy.hosts)).toEqual(new Set([new URL(server.url).host]));
});

it('does not use the proxy for hosts in NO_PROXY', async () => {
  const proxy = await startProxy();
  const env = { HTTP_PROXY: proxy.url, NO_PROXY: new URL(server.url).hostname };
  expect((await agent(['report', writeReport(workspace, 3)], env)).code).toBe(0);
  expect(await findings()).toHaveLength(3);
  expect(proxy.hosts).toEqual([]);
});

it('queues the findings if the proxy cannot be reached', async () => {
  const run = await agent(['report', writeReport(workspace, 1)], { HTTP_PROXY: 'http://127.0.0.1:9' });
  expect([run.code, run.err]).toEqual([3, expect.stringContaining('not delivered')]);
  expect((await agent(['sync'])).code).toBe(0);
  expect(await findings()).toHaveLength(1);
}, 60_000);

it('refuses a proxy that is not a URL, and leaves no files', async () => {
  const run = await agent(['report', writeReport(workspace, 1)], { HTTPS_PROXY: 'proxy' });
  expect([run.code, run.err]).toEqual([1, expect.stringContaining('HTTP_PROXY or HTTPS_PROXY is not a URL')]);
  expect(existsSync(join(workspace, '.svc'))).toBe(false);
});

it('reads compressed responses', async () => {
  const service = await startHostileService((_, response) => {
    const list = [
      { id: '019b0000-0000-7000-8000-000000000001', severity: 'high', status: 'open', title: 'Ä' },
    ];
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
    response.end(gzipSync(JSON.stringify({ success: true, request_id: 'req_0', result: list })));
  });
  const run = await agent(['findings'], { SVC_BASE_URL: service.url });
  expect([run.code, run.out]).toEqual([0, expect.stringContaining('Ä')]);
});

it('says that the service cannot be reached if a response breaks off', async () => {
  const service = await startHostileService((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write('{"success": true', () => response.destroy());
  });
  const run = await agent(['findings'], { SVC_BASE_URL: service.url });
  expect([run.code, run.err]).toEqual([
    1,
    expect.stringMatching(/^svc-agent: the service cannot be reached \(/),
  ]);
});
