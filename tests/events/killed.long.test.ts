import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { SMTPServer } from 'smtp-server';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { openWindow } from '../browser/support/windows.ts';
import { createOrg, createScan, finding, must, push, type TestOrg } from '../support/api/api.ts';
import { type RunningServer, startServer, stopServers } from '../support/server/server.ts';

/* A finding that its owner fixed in the browser regresses: a webhook, a chat and an inbox have it, also when the service is killed between the commit and the delivery. */

const ROUNDS = 20;
/** From the start of the server. */
const WITHIN_MS = 10_000;

let dataDir: string;
let receiver: Server;
let url: string;
let inbox: SMTPServer;
let server: RunningServer;
let org: TestOrg;
let verifier: Webhook;
let verification: URLSearchParams | undefined;

/** The scans that requests and messages are about, and the ids of mails. Repetitions have the same. */
const heard = { webhook: new Map<string, string>(), chat: new Set<string>(), inbox: new Set<string>() };

async function textOf(parts: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const part of parts) chunks.push(part);
  return Buffer.concat(chunks).toString();
}

function hearWebhook(body: string, headers: Record<string, string>): void {
  const { type, data } = verifier.verify(body, headers) as {
    type: string;
    data: { scan: { id: string }; findings: { regressed?: boolean }[] };
  };
  expect([type, data.findings.map(({ regressed }) => regressed)]).toEqual(['scan.completed', [true]]);
  heard.webhook.set(headers['webhook-id'] as string, data.scan.id);
}

function hearChat(body: string): void {
  const { text } = JSON.parse(body) as { text: string };
  expect(text).toMatch(/regressed/i);
  heard.chat.add(/\/scans\/([\w-]+)/.exec(text)?.[1] ?? text);
}

function hearMail(source: string): void {
  const text = source.replaceAll('=\r\n', '').replaceAll('=3D', '=');
  const query = /\/verify-email\?([\w.=&-]+)/.exec(text)?.[1];
  if (query) verification = new URLSearchParams(query);
  if (/^Subject: .*regressed/im.test(text)) heard.inbox.add(/^Message-ID: (\S+)/im.exec(text)?.[1] ?? '');
}

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'svc-events-'));
  receiver = createServer(async (request, response) => {
    const body = await textOf(request);
    if (request.url === '/hook') hearWebhook(body, request.headers as Record<string, string>);
    else hearChat(body);
    response.end();
  }).listen(0, '127.0.0.1');
  inbox = new SMTPServer({
    ...{ authOptional: true, disabledCommands: ['STARTTLS'] },
    async onData(stream, _, done) {
      hearMail(await textOf(stream));
      done();
    },
  });
  inbox.on('error', () => {});
  await new Promise((listening) => receiver.once('listening', listening));
  await new Promise<void>((listening) => inbox.listen(0, '127.0.0.1', listening));
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
});

afterAll(async () => {
  await stopServers();
  receiver.close();
  inbox.close();
  await rm(dataDir, { recursive: true, force: true });
});

const start = () =>
  startServer({
    ...{ JWT_SECRET: 'a secret for tests only', SVC_DATA_DIR: dataDir, SVC_OUTBOUND_ALLOW: '127.0.0.0/8' },
    SVC_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
    SVC_SMTP_URL: `smtp://127.0.0.1:${(inbox.server.address() as AddressInfo).port}`,
    ...{ SVC_MAIL_FROM: 'findings@example.com', SVC_MAX_MAILS_PER_HOUR: '1000' },
  });

async function openBrowser(): Promise<Page> {
  const page = await openWindow(server.url, { own: true, isOurs: (host) => host.startsWith('127.0.0.1:') });
  const cookie = { name: 'svc_token', value: org.owner.cookie, domain: '127.0.0.1', path: '/' };
  await page.context().addCookies([cookie]);
  return page;
}

/** The owner looks at the finding, which has regressed if a scan was before, and fixes it. */
async function fix(page: Page, id: string, hasRegressed: boolean): Promise<void> {
  await page.goto(`${server.url}/o/${org.slug}/findings/${id}`);
  if (hasRegressed) await page.getByText(/^Regressed .*: seen again after it was fixed$/).waitFor();
  await page.getByRole('button', { name: 'Fixed' }).click();
  const read = async () => must(await server.api.get(`/findings/${id}`, org.asOwner));
  await expect.poll(read).toMatchObject({ status: 'fixed', regressed: false });
  // An open page would complain that the server is gone.
  await page.goto('about:blank');
}

/** A scan that reports the finding. @returns after its end is acknowledged */
async function report(fields: object): Promise<string> {
  const scan = await createScan(server.api, org);
  await push(server.api, org, scan, { ...fields });
  must(await server.api.patch(`/agent/scans/${scan}`, { ...org.asAgent, body: { status: 'completed' } }));
  return scan;
}

/** Lets the owner hear of regressions in all three ways. */
async function subscribe(): Promise<void> {
  const webhook = { url: `${url}/hook`, events: ['scan.completed'] };
  const chat = { kind: 'mattermost', name: 'Security team', url: `${url}/chat` };
  verifier = new Webhook(must(await server.api.post('/webhooks', { ...org.asOwner, body: webhook })).secret);
  must(await server.api.post('/integrations', { ...org.asOwner, body: chat }));
  await expect.poll(() => verification?.get('token')).toBeTruthy();
  must(await server.api.post('/auth/verify-email', { body: Object.fromEntries(verification ?? []) }));
  must(await server.api.put('/profile/notifications', { ...org.asOwner, body: { regressed: 'now' } }));
}

const title = `have each regression once in ${ROUNDS} rounds, after a kill -9 at another moment in each`;

it.skipIf(!inject('browser'))(title, { timeout: 600_000 }, async () => {
  server = await start();
  org = await createOrg(server.api);
  const first = await createScan(server.api, org);
  const { fingerprint } = finding(org, first);
  const { id } = await push(server.api, org, first, { fingerprint });
  await subscribe();
  const page = await openBrowser();

  const scans: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await fix(page, id, round > 0);
    scans.push(await report({ fingerprint }));
    await sleep(round);
    await server.stop('SIGKILL');
    server = await start();
    const isHeard = () =>
      [...heard.webhook.values()].includes(scans.at(-1) as string) &&
      heard.chat.has(scans.at(-1) as string) &&
      heard.inbox.size > round;
    const deadline = Date.now() + WITHIN_MS;
    while (!isHeard() && Date.now() < deadline) await sleep(50);
    const inOrder = scans.toSorted();
    expect([...heard.webhook.values()].toSorted(), `webhook, round ${round}`).toEqual(inOrder);
    expect([...heard.chat].toSorted(), `chat, round ${round}`).toEqual(inOrder);
    expect(heard.inbox.size, `inbox, round ${round}`).toBe(scans.length);
  }
});
