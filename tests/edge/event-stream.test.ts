import { beforeAll, expect, it } from 'vitest';
import { openStream } from '../events/stream-client.ts';
import { addMember, createOrg, createScan, must, push, type TestOrg } from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/* In workerd each stream has its own connection to the database, and looks for events by itself. */

let t: TestApp;
let org: TestOrg;
let id: string;

beforeAll(async () => {
  t = await startApp();
  org = await createOrg(t.api);
  id = (await push(t.api, org, await createScan(t.api, org))).id;
});

const change = async (status: string) =>
  must(await t.api.patch(`/findings/${id}`, { ...org.asOwner, body: { status } }));

it('a stream has the events of other requests, and is resumed', async () => {
  const stream = await openStream(t.app, '', org.asOwner);
  await change('confirmed');
  await stream.until(1);
  // The connection of the stream is still open.
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  await change('open');
  await stream.until(2);
  await stream.close();
  await change('fixed');
  const resumed = await openStream(t.app, `?last_event_id=${stream.lastId()}`, org.asOwner);
  await resumed.until(1);
  expect(resumed.ids).toEqual([(stream.ids[1] ?? 0) + 1]);
});

it('a stream ends when its client loses access', async () => {
  const bob = await addMember(t.api, org);
  const stream = await openStream(t.app, '', bob.as);
  must(await t.api.delete(`/members/${bob.id}`, org.asOwner));
  expect(await stream.ended).toBe('aborted');
});
