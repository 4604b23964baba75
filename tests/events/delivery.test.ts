import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { OutboxOptions } from '../../lib/events/outbox.ts';
import { must } from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';
import {
  addDestination,
  createEventOrg,
  createProcess,
  deliveriesOf,
  destinationRow,
  type EventOrg,
  loadedAs,
  rotate,
  send,
  startReceiver,
  writeEvents,
} from './outbox-kit.ts';

let t: TestApp;
let org: EventOrg;

beforeAll(async () => {
  t = await startApp({ env: { SVC_OUTBOUND_ALLOW: '127.0.0.0/8', SVC_ENCRYPTION_KEY: 'k'.repeat(32) } });
});

beforeEach(async () => {
  await t.services.database.sql.unsafe('delete from shared.destinations');
  org = await createEventOrg(t);
});

describe('an event', () => {
  it('is sent signed, as the library of Standard Webhooks verifies it', async () => {
    const receiver = await startReceiver();
    receiver.answer = (response) => response.writeHead(202).end('thanks');
    const destination = await addDestination(t, org, receiver.url);
    const [id] = await writeEvents(t, org);
    expect(await send(t, org)).toBe(1);
    const [{ headers, text, body } = { headers: {}, text: '', body: {} }] = receiver.received;
    expect(body).toMatchObject({
      id,
      type: 'finding.commented',
      organization: { id: org.id, slug: org.slug },
    });
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'webhook-id': id });
    expect(headers['user-agent']).toMatch(/^svc-findings\/\d/);
    const signed = headers as Record<string, string>;
    expect(new Webhook(destination.secret).verify(text, signed)).toEqual(body);
    expect(() => new Webhook(destination.secret).verify(`${text} `, signed)).toThrow();
    expect(await deliveriesOf(org, destination)).toMatchObject([
      {
        event_id: id,
        state: 'delivered',
        attempts: 1,
        status: 202,
        response: 'thanks',
        error: null,
        next_at: null,
      },
    ]);
    expect(await destinationRow(org, destination)).toMatchObject({ due_at: null, failures: 0 });
  });

  it('is signed by the former secret, too, as long as that is accepted', async () => {
    const receiver = await startReceiver();
    const destination = await addDestination(t, org, receiver.url);
    const current = await rotate(t, org, destination);
    await writeEvents(t, org);
    await send(t, org);
    for (const secret of [current, destination.secret]) {
      const [first] = receiver.received;
      const headers = first?.headers as Record<string, string>;
      expect(() => new Webhook(secret).verify(first?.text ?? '', headers)).not.toThrow();
    }
    await org.run("update shared.destinations set former_secret_until = now() - interval '1 day'");
    await writeEvents(t, org);
    await send(t, org);
    expect(
      receiver.received.map(({ headers }) => String(headers['webhook-signature']).split(' ').length),
    ).toEqual([2, 1]);
  });

  it('is sent to the destinations that want its type', async () => {
    const receiver = await startReceiver();
    const members = await addDestination(t, org, receiver.url, ['scan.completed', 'member.*']);
    const off = await addDestination(t, org, receiver.url, ['member.*']);
    const late = await addDestination(t, org, receiver.url, ['member.*']);
    await org.run('update shared.destinations set enabled = false where id = $1', [off.id]);
    await org.run("update shared.destinations set created_at = now() + interval '1 hour' where id = $1", [
      late.id,
    ]);
    await writeEvents(t, org, 1, 'finding.commented');
    await writeEvents(t, org, 1, 'scan.failed');
    await writeEvents(t, org, 1, 'member.added');
    t.advance(1);
    await writeEvents(t, org, 1, 'scan.completed');
    await send(t, org);
    expect(receiver.received.map(({ body }) => body.type)).toEqual(['member.added', 'scan.completed']);
    expect(await deliveriesOf(org, members)).toHaveLength(2);
    expect([...(await deliveriesOf(org, off)), ...(await deliveriesOf(org, late))]).toEqual([]);
  });

  it('of the time in which a destination was off is not sent later', async () => {
    const receiver = await startReceiver();
    const destination = await addDestination(t, org, receiver.url);
    await org.run('update shared.destinations set enabled = false where id = $1', [destination.id]);
    await writeEvents(t, org, 3);
    await send(t, org);
    await org.run('update shared.destinations set enabled = true where id = $1', [destination.id]);
    const [id] = await writeEvents(t, org);
    await send(t, org);
    expect(receiver.received.map((sent) => sent.id)).toEqual([id]);
  });

  it.each([
    ['finding.commented', 20, [20]],
    ['scan.completed', 12, [10, 2]],
  ])('of the type %s is read with the others of a turn', async (type, count, expected) => {
    const receiver = await startReceiver();
    await addDestination(t, org, receiver.url, [type]);
    await writeEvents(t, org, count, type);
    const reads: number[] = [];
    const load: OutboxOptions['load'] = async (_, events) => {
      reads.push(events.length);
      return loadedAs(events, ({ id }) => ({ id }));
    };
    expect(await send(t, org, { load })).toBe(count);
    expect(reads).toEqual(expected);
  });

  it('is read once for all destinations, and again when it is sent again', async () => {
    const receiver = await startReceiver();
    receiver.answer = (response) => response.writeHead(500).end();
    for (let i = 0; i < 3; i++) await addDestination(t, org, receiver.url);
    await writeEvents(t, org);
    const load = vi.fn<OutboxOptions['load']>(async (_, events) => loadedAs(events, ({ id }) => ({ id })));
    const process = createProcess(t, { load });
    await process.publish(org.id);
    await process.run();
    expect([receiver.received.length, load.mock.calls.length]).toEqual([3, 1]);
    t.advance(60_000);
    await process.run();
    expect([receiver.received.length, load.mock.calls.length]).toEqual([6, 2]);
  });

  it('with nothing to tell is not sent, and its delivery is deleted', async () => {
    const receiver = await startReceiver();
    const destination = await addDestination(t, org, receiver.url);
    await writeEvents(t, org, 2);
    expect(await send(t, org, { load: async (_, events) => loadedAs(events, () => undefined) })).toBe(0);
    expect(await deliveriesOf(org, destination)).toEqual([]);
    expect(await destinationRow(org, destination)).toMatchObject({ due_at: null });
  });

  it('that cannot be rendered waits, and keeps no other waiting', async () => {
    const receiver = await startReceiver();
    const destination = await addDestination(t, org, receiver.url);
    const [bad, good] = await writeEvents(t, org, 2);
    const load: OutboxOptions['load'] = async (_, events) =>
      loadedAs(events, ({ id }) => {
        if (id === bad) throw new Error('on purpose');
        return { id };
      });
    await send(t, org, { load });
    expect(receiver.received.map(({ id }) => id)).toEqual([good]);
    expect(await deliveriesOf(org, destination)).toMatchObject([
      { state: 'pending', attempts: 1, error: 'The event could not be read.' },
      { state: 'delivered' },
    ]);
    expect(await destinationRow(org, destination)).toMatchObject({ failures: 0, due_at: expect.any(String) });
  });
});

describe('a secret that cannot be opened', () => {
  const error = 'The secret of this webhook cannot be opened. Replace it.';
  const lost = 'v2.00000000.AAAA';

  it('is a failed attempt, until it is replaced', async () => {
    const receiver = await startReceiver();
    const destination = await addDestination(t, org, receiver.url);
    await org.run('update shared.destinations set secret = $1', [lost]);
    await writeEvents(t, org);
    await send(t, org);
    expect(receiver.connections).toBe(0);
    expect(await deliveriesOf(org, destination)).toMatchObject([
      { state: 'pending', attempts: 1, error, status: null },
    ]);
    expect(await destinationRow(org, destination)).toMatchObject({ failures: 1 });
    const secret = await rotate(t, org, destination);
    const [id] = await writeEvents(t, org);
    expect(await send(t, org)).toBe(1);
    const [first] = receiver.received;
    const headers = first?.headers as Record<string, string>;
    expect(headers).toMatchObject({ 'webhook-id': id });
    expect(() => new Webhook(secret).verify(first?.text ?? '', headers)).not.toThrow();
    expect(String(headers['webhook-signature']).split(' '), 'without the former one').toHaveLength(1);
  });

  it('switches the webhook off after three days', async () => {
    const destination = await addDestination(t, org, 'https://hooks.example.com/');
    await org.run(
      "update shared.destinations set secret = $1, failures = 9, failing_since = now() - interval '3 days'",
      [lost],
    );
    await writeEvents(t, org);
    await send(t, org);
    expect(await deliveriesOf(org, destination)).toMatchObject([{ error }]);
    expect(await destinationRow(org, destination)).toMatchObject({
      ...{ enabled: false, disabled_reason: 'failing', due_at: null },
    });
  });
});

describe('a test', () => {
  const addTest = async (destinationId: string) => {
    const id = crypto.randomUUID();
    await org.run(
      "insert into ORG.deliveries (destination_id, id, created_at, state, next_at) values ($1, $2, now(), 'pending', now())",
      [destinationId, id],
    );
    await org.run('update shared.destinations set due_at = now() where id = $1', [destinationId]);
    return id;
  };

  it('has its own id, and no data', async () => {
    const receiver = await startReceiver();
    const destination = await addDestination(t, org, receiver.url);
    const id = await addTest(destination.id);
    await send(t, org);
    expect(receiver.received).toMatchObject([{ id, body: { id, type: 'webhook.test', data: {} } }]);
    expect(receiver.received[0]?.body.organization).toMatchObject({ id: org.id, slug: org.slug });
  });

  it('is sent once, and is no failure of the destination', async () => {
    const receiver = await startReceiver();
    receiver.answer = (response) => response.writeHead(410).end();
    const destination = await addDestination(t, org, receiver.url);
    await addTest(destination.id);
    await send(t, org);
    expect(await deliveriesOf(org, destination)).toMatchObject([
      { state: 'failed', status: 410, next_at: null },
    ]);
    expect(await destinationRow(org, destination)).toMatchObject({
      enabled: true,
      failures: 0,
      due_at: null,
    });
  });
});

describe('a webhook that was created by the API', () => {
  const events = ['project.*'];
  const create = async (url: string) =>
    must(await t.api.post('/webhooks', { ...org.asOwner, body: { url, events } })) as {
      id: string;
      secret: string;
    };
  const rename = async (name: string) =>
    must(await t.api.patch(`/projects/${org.projectId}`, { ...org.asOwner, body: { name } }));

  it('gets the events of requests, with a signature by the secret that was shown', async () => {
    const receiver = await startReceiver();
    const { secret } = await create(receiver.url);
    await rename('Renamed');
    await vi.waitFor(() => expect(receiver.received).toHaveLength(1));
    const [{ headers, text } = { headers: {}, text: '' }] = receiver.received;
    const body = new Webhook(secret).verify(text, headers as Record<string, string>);
    expect(body).toMatchObject({ type: 'project.changed', data: { target: { id: org.projectId } } });
  });

  it('is tested at once, although it fails and has others to send', async () => {
    const receiver = await startReceiver();
    receiver.answer = (response) => {
      const isTest = receiver.received.at(-1)?.body.type === 'webhook.test';
      response.writeHead(isTest ? 200 : 500).end();
    };
    const { id } = await create(receiver.url);
    for (let i = 0; i < 5; i++) await rename(`Name ${i}`);
    await t.services.outbox.publish(org.id);
    await vi.waitFor(async () =>
      expect(await destinationRow(org, { id, secret: '' })).toMatchObject({ failures: 3 }),
    );
    const test = must(await t.api.post(`/webhooks/${id}/test`, org.asOwner));
    await vi.waitFor(() => expect(receiver.received.map((sent) => sent.id)).toContain(test.id));
    await vi.waitFor(async () => {
      const { result } = await t.api.get(`/webhooks/${id}/deliveries`, org.asOwner);
      expect(result.find((one: { id: string }) => one.id === test.id)).toMatchObject({ state: 'delivered' });
    });
  });

  it('may not have an address inside, or plain http outside', async () => {
    for (const url of ['https://10.0.0.1/', 'http://hooks.localhost@x/', 'http://93.184.215.14/']) {
      const answer = await t.api.post('/webhooks', { ...org.asOwner, body: { url, events } });
      expect([url, answer.badFields]).toEqual([url, ['url']]);
    }
  });
});

describe('an answer', () => {
  it('that redirects is a failure, and nobody follows it', async () => {
    const [receiver, other] = [await startReceiver(), await startReceiver()];
    receiver.answer = (response) => response.writeHead(307, { location: other.url }).end();
    const destination = await addDestination(t, org, receiver.url);
    await writeEvents(t, org);
    await send(t, org);
    expect(other.connections).toBe(0);
    expect(await deliveriesOf(org, destination)).toMatchObject([
      { state: 'pending', attempts: 1, status: 307, error: 'The response has the status 307.' },
    ]);
  });

  it('without an end is read to 64 KiB', async () => {
    const receiver = await startReceiver();
    let written = 0;
    let isClosed = false;
    receiver.answer = (response) => {
      response.on('close', () => {
        isClosed = true;
      });
      response.writeHead(200);
      const more = () => {
        while (!response.destroyed && response.write('\0é'.repeat(8_000))) written += 24_000;
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    };
    const destination = await addDestination(t, org, receiver.url);
    await writeEvents(t, org);
    expect(await send(t, org)).toBe(1);
    await vi.waitFor(() => expect(isClosed).toBe(true));
    // Buffers of sockets take some more.
    expect(written).toBeLessThan(20 * 1024 * 1024);
    const [delivery] = await deliveriesOf(org, destination);
    expect(delivery).toMatchObject({ state: 'delivered', response: ' é'.repeat(1_000) });
  });

  it('that does not come ends after ten seconds', async () => {
    const receiver = await startReceiver();
    receiver.answer = () => {};
    const destination = await addDestination(t, org, receiver.url);
    await writeEvents(t, org);
    await send(t, org);
    const [delivery] = await deliveriesOf(org, destination);
    expect(delivery).toMatchObject({ state: 'pending', status: null });
    expect(delivery.error).toMatch(/did not answer within 10 seconds/);
    expect(delivery.duration_ms).toBeGreaterThan(9_000);
  });

  it('whose body does not end counts by its status', async () => {
    const receiver = await startReceiver();
    receiver.answer = (response) => response.writeHead(200).write('almost');
    const destination = await addDestination(t, org, receiver.url);
    await writeEvents(t, org);
    expect(await send(t, org)).toBe(1);
    expect(await deliveriesOf(org, destination)).toMatchObject([{ state: 'delivered', response: 'almost' }]);
  });
});

describe('a process that stops', () => {
  it('leaves what it is sending to others', async () => {
    const receiver = await startReceiver();
    receiver.answer = () => {};
    const destination = await addDestination(t, org, receiver.url);
    await writeEvents(t, org);
    const first = createProcess(t);
    const run = first.run();
    await vi.waitFor(() => expect(receiver.received).toHaveLength(1));
    await first.stop();
    await run;
    expect(await deliveriesOf(org, destination)).toMatchObject([{ state: 'pending', attempts: 0 }]);
    receiver.answer = (response) => response.writeHead(200).end();
    await sleep(10);
    expect(await send(t, org)).toBe(1);
    expect(receiver.received[0]?.id).toBe(receiver.received[1]?.id);
  });
});
