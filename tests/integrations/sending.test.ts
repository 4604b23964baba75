import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CHAT_KINDS } from '../../db/schema/destinations.ts';
import { createLogger } from '../../lib/logger.ts';
import { type Receiver, startReceiver } from '../events/outbox-kit.ts';
import {
  addMember,
  addProject,
  createOrg,
  createScan,
  must,
  push,
  type TestOrg,
} from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/* Requests to chat services. */

const SECRET = 'T024BE7LD-B0324JX2N-path-secret';
const lines: string[] = [];
const log = createLogger({ level: 'debug', format: 'json', write: (line) => lines.push(line) });

let t: TestApp;
let org: TestOrg;
let receiver: Receiver;

beforeAll(async () => {
  t = await startApp({
    log,
    env: { SVC_OUTBOUND_ALLOW: '127.0.0.1', SVC_ENCRYPTION_KEY: 'an encryption key of the tests' },
  });
});

beforeEach(async () => {
  await t.services.database.sql.unsafe('delete from shared.destinations');
  org = await createOrg(t.api);
  receiver = await startReceiver();
});

const add = async (fields: object = {}) => {
  const body = { kind: 'mattermost', name: 'Security team', url: `${receiver.url}/${SECRET}`, ...fields };
  return must(await t.api.post('/integrations', { ...org.asOwner, body })).id as string;
};
const deliveries = async (id: string) => must(await t.api.get(`/integrations/${id}/deliveries`, org.asOwner));
const shown = async () => must(await t.api.get('/integrations', org.asOwner));
const end = async (scan: string, body: object = { status: 'completed' }, as = org) =>
  must(await t.api.patch(`/agent/scans/${scan}`, { ...as.asAgent, body }));
/** A scan that ends with findings of these severities. */
async function scanWith(severities: string[], fields: object = {}, as = org): Promise<string> {
  const scan = await createScan(t.api, as);
  for (const severity of severities) await push(t.api, as, scan, { severity, ...fields });
  await end(scan, undefined, as);
  return scan;
}
const sent = () => receiver.received.map(({ body }) => body.text as string);

describe('a scan', () => {
  it.each(CHAT_KINDS)('is one message to %s', async (kind) => {
    const id = await add({ kind });
    const scan = await scanWith(['high', 'low'], { title: 'Found @all' });
    await expect.poll(() => receiver.received.length).toBe(1);
    const [{ headers, text }] = receiver.received as [Receiver['received'][number]];
    expect(headers).toMatchObject({ 'content-type': 'application/json' });
    expect(headers).not.toHaveProperty('webhook-signature');
    expect(text).toContain('Scan completed: 2 new');
    expect(text).toContain('Found @all');
    expect(text).toContain(`/o/${org.slug}/scans/${scan}`);
    await expect
      .poll(() => deliveries(id))
      .toMatchObject([{ state: 'delivered', event: { type: 'scan.completed' } }]);
    await t.services.outbox.run();
    expect(receiver.received).toHaveLength(1);
  });

  it('without new and regressed findings sends nothing, and one that failed always does', async () => {
    const id = await add({ min_severity: 'critical' });
    await scanWith([]);
    await scanWith(['high']);
    await addMember(t.api, org);
    await t.services.outbox.run();
    await expect.poll(() => deliveries(id)).toEqual([]);
    expect(receiver.received).toEqual([]);
    await end(await createScan(t.api, org), { status: 'failed', error_message: 'Out of memory' });
    await expect.poll(sent).toMatchObject([/^#### Scan failed\n[\s\S]*\*\*Error:\*\* `Out of memory`/]);
    await scanWith(['critical', 'high']);
    await expect.poll(() => sent().at(-1)).toMatch(/^#### Scan completed: 1 new\n/);
    expect(sent().at(-1)).not.toContain('**High**');
  });

  it('tells of findings that regressed', async () => {
    const first = await createScan(t.api, org);
    const { id } = await push(t.api, org, first, { fingerprint: 'one', file: 'src/a.ts', line: 3 });
    must(await t.api.patch(`/findings/${id}`, { ...org.asOwner, body: { status: 'fixed' } }));
    await end(first);
    await add();
    const second = await createScan(t.api, org);
    await push(t.api, org, second, { fingerprint: 'one', file: 'src/a.ts', line: 3 });
    await end(second);
    await expect.poll(sent).toHaveLength(1);
    expect(sent()[0]).toMatch(/^#### Scan completed: 1 regressed\n[\s\S]*- \*\*High\*\* \(regressed\)/);
    expect(sent()[0]).toMatch(/`src\/a.ts:3` \[Open\]/);
  });

  it.each([
    ['muted', 'muted_project_ids', ['Web shop']],
    ['one of those', 'project_ids', ['Other']],
  ])('of a project that is %s is chosen by %s', async (_, field, expected) => {
    const other = await addProject(t.api, org);
    await add({ [field]: [other.projectId] });
    await scanWith(['high'], {}, other);
    await scanWith(['high']);
    await t.services.outbox.run();
    await expect.poll(() => sent().length).toBe(1);
    expect(sent().map((text) => text.match(/Project:\*\* `(.*)`/)?.[1])).toEqual(expected);
  });
});

describe('a failure', () => {
  it('is repeated until it is delivered', async () => {
    receiver.answer = (response) => response.writeHead(500).end('down');
    const id = await add();
    await scanWith(['high']);
    await expect.poll(() => deliveries(id)).toMatchObject([{ state: 'pending', attempts: 1, status: 500 }]);
    receiver.answer = (response) => response.end('ok');
    t.advance(31_000);
    await t.services.outbox.run();
    await expect
      .poll(() => deliveries(id))
      .toMatchObject([{ state: 'delivered', attempts: 2, response: 'ok' }]);
    expect(sent()[1]).toBe(sent()[0]);
  });

  it.each([
    ['90', 90_000],
    ['0', 30_000],
    ['60.5', 60_500],
    ['86400', 3_600_000],
    ['Wed, 21 Oct 2026 07:28:00 GMT', 30_000],
  ])('that asks to wait with Retry-After: %s is repeated later', async (header, ms) => {
    receiver.answer = (response) => response.writeHead(429, { 'retry-after': header }).end();
    const id = await add();
    await scanWith(['high']);
    await expect.poll(() => deliveries(id)).toMatchObject([{ state: 'pending', status: 429 }]);
    const [{ tried_at, next_at }] = await deliveries(id);
    const waits = Date.parse(next_at) - Date.parse(tried_at);
    expect(Math.abs(waits - ms)).toBeLessThan(ms === 30_000 ? 10_000 : 2);
    const row = async () => {
      const text = 'select to_json(due_at) as due_at, leases from shared.destinations where id = $1';
      return (await t.services.database.sql.unsafe(text, [id]))[0];
    };
    await expect.poll(async () => (await row())?.leases).toBe(2);
    expect(new Date((await row())?.due_at).toISOString()).toBe(next_at);
  });

  it.each([
    ['as it is', (secret: string) => `no such hook: /hook/${secret}`],
    ['in other letters', (secret: string) => secret.toUpperCase()],
    ['with escapes', (secret: string) => [...secret].map((c) => `%${c.charCodeAt(0).toString(16)}`).join('')],
    ['of JSON', (secret: string) => secret.replaceAll(/(....)/g, '$1\\/')],
    ['in part', (secret: string) => `${secret.slice(0, 15)}...`],
  ])('whose response repeats the address %s is listed without it', async (_, repeat) => {
    receiver.answer = (response) => response.writeHead(500).end(repeat(SECRET));
    const id = await add();
    await scanWith(['high']);
    await expect.poll(() => deliveries(id)).toMatchObject([{ status: 500 }]);
    expect((await deliveries(id))[0].response).toBe('(It repeats a part of the address.)');
  });

  it('with 410 switches the integration off, and owners are told its name', async () => {
    receiver.answer = (response) => response.writeHead(410).end('channel_is_archived');
    const id = await add({ kind: 'slack' });
    await scanWith(['high']);
    await expect.poll(shown).toMatchObject([{ id, enabled: false, disabled_reason: 'gone', failures: 1 }]);
    const mail = await t.delivered(org.owner.email);
    expect(mail.subject).toMatch(/^An integration of the organization .* was switched off$/);
    expect(mail.text).toMatch(/Name: Security team\nAddress: http:/);
    expect(mail.text).not.toContain('secret');
    await scanWith(['high']);
    await t.services.outbox.run();
    expect(receiver.received).toHaveLength(1);
  });

  it('that comes of a lost key says so', async () => {
    const id = await add();
    const text = "update shared.destinations set secret = 'v2.00000000.AAAA.AAAA' where id = $1";
    await t.services.database.sql.unsafe(text, [id]);
    await scanWith(['high']);
    const error = 'The address of this integration cannot be opened. Enter it again.';
    await expect.poll(() => deliveries(id)).toMatchObject([{ state: 'pending', error }]);
    const body = { url: receiver.url };
    must(await t.api.patch(`/integrations/${id}`, { ...org.asOwner, body }));
    await expect.poll(() => deliveries(id)).toMatchObject([{ state: 'delivered' }]);
  });

  it('names no address', async () => {
    const id = await add({ url: `http://127.0.0.1:9/hook/${SECRET}` });
    await scanWith(['high']);
    await expect.poll(() => deliveries(id)).toMatchObject([{ error: expect.stringMatching(/reached/) }]);
    const strict = await startApp({ databaseUrl: t.databaseUrl, log });
    t.advance(31_000);
    await strict.services.outbox.run();
    expect(JSON.stringify([lines, await deliveries(id), await shown(), t.mails])).not.toContain(SECRET);
  });
});

it('a test says that the service is connected, and is sent once', async () => {
  const id = await add();
  const { id: test } = must(await t.api.post(`/integrations/${id}/test`, org.asOwner));
  await expect.poll(sent).toMatchObject([/^#### svc-findings is connected\n\*\*Organization:\*\* `/]);
  await expect.poll(() => deliveries(id)).toMatchObject([{ id: test, state: 'delivered' }]);
  receiver.answer = (response) => response.writeHead(404).end();
  must(await t.api.post(`/integrations/${id}/test`, org.asOwner));
  await expect.poll(async () => (await deliveries(id))[0]).toMatchObject({ state: 'failed', attempts: 1 });
});

it('a message is sent again on demand, while the integration is enabled', async () => {
  const id = await add();
  await scanWith(['high']);
  await expect.poll(() => deliveries(id)).toMatchObject([{ state: 'delivered' }]);
  const [{ id: delivery }] = await deliveries(id);
  const redeliver = () => t.api.post(`/integrations/${id}/deliveries/${delivery}/redeliver`, org.asOwner);
  must(await redeliver());
  await expect.poll(() => receiver.received.length).toBe(2);
  must(await t.api.patch(`/integrations/${id}`, { ...org.asOwner, body: { enabled: false } }));
  expect((await redeliver()).refusal).toBe('409 resource_error/conflict');
});

it('the whole address is used, with a thread of Discord', async () => {
  const urls: (string | undefined)[] = [];
  receiver.answer = (response, request) => {
    urls.push(request.url);
    response.writeHead(204).end();
  };
  await add({ kind: 'discord', url: `${receiver.url}/1/${SECRET}?thread_id=42` });
  await scanWith(['high']);
  await expect.poll(() => urls).toEqual([`/hook/1/${SECRET}?thread_id=42`]);
});
