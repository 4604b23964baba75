import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createOrg, createScan, finding, must, push, type TestOrg } from '../support/api/api.ts';
import { type RunningServer, startServer, stopServers } from '../support/server/server.ts';

/* A webhook receives the regressions of every scan, also when the service is killed between the commit and the delivery. */

const ROUNDS = 20;
/** From the start of the server. */
const WITHIN_MS = 10_000;

let dataDir: string;
let receiver: Server;
let url: string;
let server: RunningServer;
let org: TestOrg;
let verifier: Webhook;
/** The scans of the requests received, by the id of the event. */
const received = new Map<string, string>();
let requests = 0;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'svc-events-'));
  receiver = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    requests++;
    const headers = request.headers as Record<string, string>;
    const { type, data } = verifier.verify(body, headers) as {
      type: string;
      data: { scan: { id: string }; findings: { regressed?: boolean }[] };
    };
    expect([type, data.findings.map(({ regressed }) => regressed)]).toEqual(['scan.completed', [true]]);
    received.set(headers['webhook-id'] as string, data.scan.id);
    response.end();
  }).listen(0, '127.0.0.1');
  await new Promise((listening) => receiver.once('listening', listening));
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
});

afterAll(async () => {
  await stopServers();
  receiver.close();
  await rm(dataDir, { recursive: true, force: true });
});

const start = () =>
  startServer({
    ...{ JWT_SECRET: 'a secret for tests only', SVC_DATA_DIR: dataDir, SVC_OUTBOUND_ALLOW: '127.0.0.0/8' },
    SVC_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
  });

/** A scan that reports the finding again, after it was fixed. @returns after its end is acknowledged */
async function regress(id: string, fields: object): Promise<string> {
  must(await server.api.patch(`/findings/${id}`, { ...org.asOwner, body: { status: 'fixed' } }));
  const scan = await createScan(server.api, org);
  await push(server.api, org, scan, { ...fields });
  must(await server.api.patch(`/agent/scans/${scan}`, { ...org.asAgent, body: { status: 'completed' } }));
  return scan;
}

it(`has each regression once in ${ROUNDS} rounds, after a kill -9 at another moment in each`, async () => {
  server = await start();
  org = await createOrg(server.api);
  const first = await createScan(server.api, org);
  const { fingerprint } = finding(org, first);
  const { id } = await push(server.api, org, first, { fingerprint });
  const body = { url, events: ['scan.completed'] };
  verifier = new Webhook(must(await server.api.post('/webhooks', { ...org.asOwner, body })).secret);

  const scans: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    scans.push(await regress(id, { fingerprint }));
    await sleep(round);
    await server.stop('SIGKILL');
    server = await start();
    const deadline = Date.now() + WITHIN_MS;
    while (![...received.values()].includes(scans.at(-1) as string) && Date.now() < deadline) await sleep(50);
    expect([...received.values()].toSorted(), `round ${round}`).toEqual(scans.toSorted());
  }
  expect(requests).toBeGreaterThanOrEqual(ROUNDS);
}, 300_000);
