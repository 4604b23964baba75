import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { startReceiver } from '../events/outbox-kit.ts';
import { addMember, createOrg, must, type TestOrg } from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/* Requests to webhooks that admins have added by the API. */

let t: TestApp;
let org: TestOrg;

beforeAll(async () => {
  t = await startApp({ env: { SVC_OUTBOUND_ALLOW: '127.0.0.1' } });
});

beforeEach(async () => {
  org = await createOrg(t.api);
});

const add = async (url: string, fields: object = {}) =>
  must(await t.api.post('/webhooks', { ...org.asOwner, body: { url, events: ['member.*'], ...fields } }));
const deliveries = async (id: string) => must(await t.api.get(`/webhooks/${id}/deliveries`, org.asOwner));

it('is signed by the secret, and by the former one for a while', async () => {
  const receiver = await startReceiver();
  const { id, secret } = await add(receiver.url);
  const test = must(await t.api.post(`/webhooks/${id}/test`, org.asOwner));
  await expect.poll(() => receiver.received.length).toBe(1);
  const [first] = receiver.received;
  const verified = new Webhook(secret).verify(first?.text ?? '', first?.headers as Record<string, string>);
  expect(verified).toMatchObject({ type: 'webhook.test', id: test.id, organization: { slug: org.slug } });
  await expect.poll(() => deliveries(id)).toMatchObject([{ id: test.id, state: 'delivered', status: 204 }]);
  expect((await deliveries(id))[0]).not.toHaveProperty('event');

  const { secret: second } = must(await t.api.post(`/webhooks/${id}/rotate-secret`, org.asOwner));
  const added = await addMember(t.api, org);
  await expect.poll(() => receiver.received.length).toBe(2);
  const { headers, text } = receiver.received[1] ?? {};
  for (const key of [secret, second])
    expect(new Webhook(key).verify(text ?? '', headers as Record<string, string>)).toMatchObject({
      type: 'member.invited',
      data: { target: { id: added.id } },
    });
});

it('is sent again on demand, with the same id', async () => {
  const receiver = await startReceiver();
  receiver.answer = (response) => response.writeHead(500).end('busy');
  const { id } = await add(receiver.url);
  await addMember(t.api, org);
  await expect
    .poll(() => deliveries(id))
    .toMatchObject([
      { state: 'pending', attempts: 1, status: 500, response: 'busy', event: { type: 'member.invited' } },
    ]);
  receiver.answer = (response) => response.writeHead(204).end();
  const [{ id: delivery }] = await deliveries(id);
  must(await t.api.post(`/webhooks/${id}/deliveries/${delivery}/redeliver`, org.asOwner));
  await expect.poll(() => deliveries(id)).toMatchObject([{ state: 'delivered', attempts: 1, status: 204 }]);
  expect(new Set(receiver.received.map((one) => one.id)).size).toBe(1);
  const read = async () => must(await t.api.get('/webhooks', org.asOwner));
  await expect.poll(async () => (await read())[0]).not.toHaveProperty('failures');
});

it('follows a change of the address while an attempt is in progress', async () => {
  const [former, next] = [await startReceiver(), await startReceiver()];
  const hanging: ServerResponse[] = [];
  former.answer = (response) => hanging.push(response);
  const { id } = await add(former.url);
  await addMember(t.api, org);
  await expect.poll(() => hanging.length).toBe(1);
  must(await t.api.patch(`/webhooks/${id}`, { ...org.asOwner, body: { url: next.url } }));
  // Gone, which switches a webhook off. It is no longer the receiver.
  hanging[0]?.writeHead(410).end();
  await expect.poll(() => next.received.length, { timeout: 10_000 }).toBe(1);
  expect(next.received[0]?.id).toBe(former.received[0]?.id);
  const read = async () => must(await t.api.get('/webhooks', org.asOwner));
  await expect.poll(async () => (await read())[0]).toMatchObject({ url: next.url, enabled: true });
  await expect.poll(async () => (await read())[0]).not.toHaveProperty('failures');
});

it('waits while the webhook is disabled', async () => {
  const receiver = await startReceiver();
  receiver.answer = (response) => response.writeHead(500).end();
  const { id } = await add(receiver.url);
  const change = (body: object) => t.api.patch(`/webhooks/${id}`, { ...org.asOwner, body });
  await addMember(t.api, org);
  await expect.poll(() => deliveries(id)).toMatchObject([{ state: 'pending', attempts: 1 }]);
  must(await change({ enabled: false }));
  // Not sent later, either.
  await addMember(t.api, org);
  await t.services.outbox.run();
  receiver.answer = (response) => response.writeHead(204).end();
  must(await change({ enabled: true }));
  await expect.poll(() => deliveries(id)).toMatchObject([{ state: 'delivered' }]);
  expect(receiver.received).toHaveLength(2);
});

it('goes to plain http only where the operator allows the address', async () => {
  const strict = await startApp({ databaseUrl: t.databaseUrl });
  const body = { url: 'http://127.0.0.1:9/hook', events: ['member.*'] };
  must(await t.api.post('/webhooks', { ...org.asOwner, body }));
  for (const url of [body.url, 'http://hooks.acme.example'])
    expect(
      (await strict.api.post('/webhooks', { ...org.asOwner, body: { ...body, url } })).badFields,
    ).toEqual(['url']);
});

it('does not go to a webhook that was deleted', async () => {
  const receiver = await startReceiver();
  const { id } = await add(receiver.url);
  expect((await t.api.delete(`/webhooks/${id}`, org.asOwner)).status).toBe(204);
  await addMember(t.api, org);
  await t.services.outbox.run();
  expect(receiver.received).toEqual([]);
});
