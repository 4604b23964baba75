import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { nextDelivery, readDueDeliveries } from '../../db/events/deliveries.ts';
import { renewLeases, takeDestinations, wakeDestinations } from '../../db/events/destinations.ts';
import { publishEvents } from '../../db/events/publish.ts';
import { readBacklog } from '../../lib/maintenance/backlog.ts';
import { purgeOrgs } from '../../lib/maintenance/purge-orgs.ts';
import { subjectsTo } from '../support/api/account.ts';
import { addMember, createScan, finding, must, push } from '../support/api/api.ts';
import { untilBlocked } from '../support/database/blocked.ts';
import { holdOpen } from '../support/database/hold.ts';
import { startApp, type TestApp } from '../support/server/app.ts';
import {
  addDestination,
  createEventOrg,
  createProcess,
  type Destination,
  deliveriesOf,
  destinationRow,
  type EventOrg,
  type Receiver,
  send,
  startReceiver,
  writeEvents,
} from './outbox-kit.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let t: TestApp;
let org: EventOrg;
let receiver: Receiver;

const fails = (status = 500) => {
  receiver.answer = (response) => response.writeHead(status).end();
};
const succeeds = () => fails(204);
const received = () => receiver.received.map(({ id }) => id);

beforeAll(async () => {
  t = await startApp({ env: { SVC_OUTBOUND_ALLOW: '127.0.0.0/8' } });
});

beforeEach(async () => {
  await t.services.database.sql.unsafe('delete from shared.destinations');
  org = await createEventOrg(t);
  receiver = await startReceiver();
});

describe('events', () => {
  it('are published once and in their order by processes that do so at the same time', async () => {
    const destination = await addDestination(t, org, receiver.url);
    const processes = [createProcess(t), createProcess(t), createProcess(t)];
    const ids: string[] = [];
    for (let round = 0; round < 5; round++) {
      // The events of a round are later than those before.
      t.advance(25);
      ids.push(...(await writeEvents(t, org, 20)));
      await Promise.all(processes.map((process) => process.publish(org.id)));
    }
    const rows = await org.run('select id, seq from ORG.events order by seq');
    expect(rows.map(({ seq }) => Number(seq))).toEqual(ids.map((_, i) => i + 1));
    expect(rows.map(({ id }) => id)).toEqual(ids);
    await Promise.all(processes.map((process) => process.run()));
    expect(received()).toEqual(ids);
    expect(await deliveriesOf(org, destination)).toHaveLength(100);
  });

  it('that are committed late follow those that were published before', async () => {
    const destination = await addDestination(t, org, receiver.url);
    const outbox = createProcess(t);
    let late = '';
    const commit = await holdOpen(t.services.database.sql, async (tx) => {
      const schema = `org_${org.id.replaceAll('-', '')}`;
      const [row] = await tx.unsafe(
        `insert into "${schema}".events (id, at, type) values (gen_random_uuid(), now() - interval '1 minute', 'finding.commented') returning id`,
      );
      late = row?.id;
    });
    const [early] = await writeEvents(t, org);
    expect(await outbox.publish(org.id)).toBe(1);
    await commit();
    expect(await outbox.publish(org.id)).toBe(2);
    expect(await outbox.publish(org.id)).toBe(2);
    await outbox.run();
    expect((await deliveriesOf(org, destination)).map(({ event_id }) => event_id)).toEqual([early, late]);
    expect(received(), 'in the order of their times').toEqual([late, early]);
  });

  it('are published in batches, however many there are', async () => {
    const destination = await addDestination(t, org, receiver.url);
    await writeEvents(t, org, 10_001);
    expect(await createProcess(t).publish(org.id)).toBe(10_001);
    expect(await deliveriesOf(org, destination)).toHaveLength(10_001);
  });

  it('of deleted organizations, and of those whose schema is behind, are left alone', async () => {
    const destination = await addDestination(t, org, receiver.url);
    await writeEvents(t, org);
    const { sql } = t.services.database;
    const { tablesOf } = t.services.knownOrgs;
    const version = t.services.orgMigrations.length;
    const publish = (version: number) =>
      publishEvents(sql, { id: org.id, tables: tablesOf(org) }, new Date(), version);
    expect(await publish(version + 1)).toBeUndefined();
    await publish(version);
    await org.run(
      "insert into shared.org_deletions (org_id, deleted_at, purge_at, lease_until, purging) values ($1, now(), now() + interval '30 days', now(), false)",
      [org.id],
    );
    await writeEvents(t, org);
    expect(await send(t, org)).toBe(0);
    expect(await deliveriesOf(org, destination)).toHaveLength(1);
    await org.run('delete from shared.org_deletions where org_id = $1', [org.id]);
    expect(await send(t, org, { version: version + 1 })).toBe(0);
    expect(await send(t, org)).toBe(2);
  });

  it('of one organization are sent when the tables of another are missing', async () => {
    const broken = await createEventOrg(t);
    await addDestination(t, broken, receiver.url);
    await writeEvents(t, broken);
    await send(t, broken);
    const deliveries = await addDestination(t, broken, receiver.url);
    await org.run('update shared.destinations set due_at = now() where id = $1', [deliveries.id]);
    await broken.run('drop table ORG.events, ORG.deliveries');
    await addDestination(t, org, receiver.url);
    const [id] = await writeEvents(t, org);
    expect(await createProcess(t).run()).toBe(1);
    expect(received().at(-1)).toBe(id);
    await broken.run('delete from shared.orgs where id = $1', [broken.id]);
  });
});

describe('with 10,000 deliveries that are due', () => {
  it('a turn reads a few of them from an index', async () => {
    const destination = await addDestination(t, org, receiver.url);
    await writeEvents(t, org, 10_000);
    await createProcess(t).publish(org.id);
    await org.run('analyze ORG.deliveries');
    await org.run('analyze ORG.events');
    const { sql } = t.services.database;
    const { tablesOf } = t.services.knownOrgs;
    const texts: string[] = [];
    const explained = {
      unsafe: async (text: string, params: never[]) => {
        const rows = await sql.unsafe(`explain (analyze, costs off, format text) ${text}`, params);
        texts.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
        return [];
      },
    } as never;
    await readDueDeliveries(explained, tablesOf(org), { ...destination, failures: 0 }, new Date(), 20);
    await nextDelivery(explained, tablesOf(org), destination.id);
    expect(texts.join('\n')).not.toMatch(/Seq Scan|rows=10000/);
    expect(texts.join('\n')).toContain('deliveries_due');
  });
});

describe('a delivery that failed', () => {
  it('is sent again with the same id, ever later', async () => {
    const destination = await addDestination(t, org, receiver.url);
    const [id] = await writeEvents(t, org);
    fails(503);
    expect(await send(t, org)).toBe(0);
    const [first] = await deliveriesOf(org, destination);
    expect(first).toMatchObject({ state: 'pending', attempts: 1, status: 503 });
    expect(await createProcess(t).run()).toBe(0);
    expect(received()).toEqual([id]);
    t.advance(30 * SECOND);
    succeeds();
    expect(await createProcess(t).run()).toBe(1);
    expect(received()).toEqual([id, id]);
    expect(await deliveriesOf(org, destination)).toMatchObject([
      { state: 'delivered', attempts: 2, error: null },
    ]);
  });

  it('does not keep others waiting', async () => {
    await addDestination(t, org, receiver.url);
    const [first, second] = await writeEvents(t, org, 2);
    receiver.answer = (response, { headers }) =>
      response.writeHead(headers['webhook-id'] === first ? 500 : 200).end();
    expect(await send(t, org)).toBe(1);
    const [third] = await writeEvents(t, org);
    expect(await send(t, org)).toBe(1);
    expect(received()).toEqual([first, second, third]);
  });

  it('fails for good after three days', async () => {
    const destination = await addDestination(t, org, receiver.url);
    await writeEvents(t, org);
    fails();
    await send(t, org);
    await org.run(
      `update ORG.deliveries set created_at = now() - interval '73 hours', next_at = now() - interval '1 hour'`,
    );
    await org.run('update shared.destinations set due_at = now()');
    await createProcess(t).run();
    expect(await deliveriesOf(org, destination)).toMatchObject([
      { state: 'failed', attempts: 2, next_at: null },
    ]);
    expect(await destinationRow(org, destination)).toMatchObject({ due_at: null, enabled: true });
  });

  it('is sent again if its process is killed before it notes the answer', async () => {
    const destination = await addDestination(t, org, receiver.url);
    const [id] = await writeEvents(t, org);
    // The statement that notes the answer never ends.
    const killed = createProcess(t, {
      database: {
        ...t.services.database,
        sql: {
          ...t.services.database.sql,
          unsafe: ((text: string, ...rest: unknown[]) =>
            text.includes('attempts = attempts + 1')
              ? new Promise(() => {})
              : t.services.database.sql.unsafe(text, ...(rest as []))) as never,
        },
      },
    });
    await killed.publish(org.id);
    void killed.run();
    await vi.waitFor(() => expect(receiver.received).toHaveLength(1));
    expect(await deliveriesOf(org, destination)).toMatchObject([{ state: 'pending', attempts: 0 }]);
    expect(await createProcess(t).run(), 'while its lease lasts').toBe(0);
    // It renews the lease no more.
    await killed.stop();
    t.advance(10 * SECOND);
    expect(await createProcess(t).run()).toBe(1);
    expect(received()).toEqual([id, id]);
    expect(await destinationRow(org, destination)).toMatchObject({ leases: 4, due_at: null });
  });
});

describe('a destination', () => {
  it('that fails three times in a row waits as a whole', async () => {
    const destination = await addDestination(t, org, receiver.url);
    await writeEvents(t, org, 10);
    fails();
    await send(t, org);
    expect(receiver.received).toHaveLength(3);
    await writeEvents(t, org);
    t.advance(70 * SECOND);
    await send(t, org);
    expect(receiver.received, 'new events wait, too').toHaveLength(3);
    t.advance(60 * SECOND);
    await createProcess(t).run();
    expect(receiver.received, 'one that tries').toHaveLength(4);
    expect(await destinationRow(org, destination)).toMatchObject({ failures: 4 });
    succeeds();
    t.advance(5 * MINUTE);
    await createProcess(t).run();
    t.advance(5 * MINUTE);
    await createProcess(t).run();
    expect(new Set(received()).size).toBe(11);
    expect(await destinationRow(org, destination)).toMatchObject({
      failures: 0,
      failing_since: null,
      due_at: null,
    });
  });

  it('is switched off when it has failed for three days, and owners and admins get one mail', async () => {
    const admin = await addMember(t.api, org, 'admin');
    const member = await addMember(t.api, org, 'member');
    const destination = await addDestination(t, org, receiver.url);
    await writeEvents(t, org, 2);
    fails();
    await send(t, org);
    await org.run(
      "update shared.destinations set failing_since = failing_since - interval '2 days 23 hours'",
    );
    t.advance(50 * MINUTE);
    await createProcess(t).run();
    expect(await destinationRow(org, destination)).toMatchObject({ enabled: true });
    t.advance(2 * HOUR);
    const [first, second] = [createProcess(t), createProcess(t)];
    await Promise.all([first.run(), second.run()]);
    expect(await destinationRow(org, destination)).toMatchObject({
      ...{ enabled: false, disabled_reason: 'failing', due_at: null },
    });
    const count = receiver.received.length;
    t.advance(DAY);
    await createProcess(t).run();
    expect(receiver.received).toHaveLength(count);
    const subject = `A webhook of the organization ${org.slug} was switched off`;
    for (const { email } of [org.owner, admin])
      expect((await subjectsTo(t, email)).filter((text) => text === subject)).toHaveLength(1);
    expect(await subjectsTo(t, member.email)).not.toContain(subject);
    const mail = t.mails.find((one) => one.subject === subject);
    expect(mail?.text).toContain('All deliveries have failed for three days.');
  });

  it('that a success interrupts is not switched off', async () => {
    const destination = await addDestination(t, org, receiver.url);
    await writeEvents(t, org);
    fails();
    await send(t, org);
    await org.run("update shared.destinations set failing_since = failing_since - interval '4 days'");
    succeeds();
    await writeEvents(t, org);
    await send(t, org);
    fails();
    await writeEvents(t, org);
    await send(t, org);
    expect(await destinationRow(org, destination)).toMatchObject({ enabled: true, failures: 1 });
  });

  it('that is gone is switched off at once', async () => {
    const destination = await addDestination(t, org, receiver.url);
    await writeEvents(t, org, 3);
    fails(410);
    await send(t, org);
    expect(receiver.received).toHaveLength(1);
    expect(await destinationRow(org, destination)).toMatchObject({ enabled: false, disabled_reason: 'gone' });
    expect((await deliveriesOf(org, destination)).map(({ state }) => state)).toEqual([
      'failed',
      'pending',
      'pending',
    ]);
    const mail = await t.delivered(org.owner.email);
    expect(mail.text).toContain('The receiver answered with the status 410 (gone).');
  });

  it('that is deleted while it is sent to is forgotten', async () => {
    const destination = await addDestination(t, org, receiver.url);
    await writeEvents(t, org, 3);
    receiver.answer = async (response) => {
      await org.run('delete from shared.destinations');
      await org.run('delete from ORG.deliveries');
      response.writeHead(200).end();
    };
    const error = vi.fn();
    await send(t, org, { log: { ...t.services.log, error } });
    expect(error).not.toHaveBeenCalled();
    expect(await deliveriesOf(org, destination)).toEqual([]);
    receiver.received.length = 0;
    await createProcess(t).run();
    expect(receiver.received).toEqual([]);
  });

  it('that another process has taken over is left to it', async () => {
    const destination = await addDestination(t, org, receiver.url);
    await writeEvents(t, org, 3);
    let answer = () => {};
    receiver.answer = (response) => {
      answer = () => response.writeHead(200).end();
    };
    const slow = createProcess(t);
    await slow.publish(org.id);
    const run = slow.run();
    await vi.waitFor(() => expect(receiver.received).toHaveLength(1));
    // As if it had been suspended.
    await org.run("update shared.destinations set due_at = now() - interval '1 hour'");
    const first = answer;
    succeeds();
    expect(await createProcess(t).run()).toBe(3);
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    first();
    await run;
    expect(receiver.received).toHaveLength(4);
    expect((await deliveriesOf(org, destination)).map(({ attempts }) => attempts)).toEqual([1, 1, 1]);
    expect(await destinationRow(org, destination)).toMatchObject({ leases: 4, due_at: null });
  });

  it('that is dead, with 10,000 deliveries, does not delay another organization', async () => {
    receiver.answer = () => {};
    for (let i = 0; i < 8; i++) await addDestination(t, org, receiver.url);
    await writeEvents(t, org, 1_250);
    const outbox = createProcess(t, { slots: 5 });
    await outbox.publish(org.id);
    const run = outbox.run();
    await vi.waitFor(() => expect(receiver.received).toHaveLength(4));
    const other = await createEventOrg(t);
    const alive = await startReceiver();
    await addDestination(t, other, alive.url);
    await writeEvents(t, other);
    const started = performance.now();
    outbox.followed(other.id);
    await vi.waitFor(() => expect(alive.received).toHaveLength(1));
    expect(performance.now() - started).toBeLessThan(1_000);
    expect(receiver.received, 'four destinations of one organization').toHaveLength(4);
    await outbox.stop();
    await run;
  });

  it('of an account that has other organizations shares four places with theirs', async () => {
    receiver.answer = () => {};
    const second = await createEventOrg(t);
    await org.run(
      "update shared.memberships m set user_id = o.created_by from shared.orgs o where o.id = $1 and m.org_id = $2 and m.role = 'owner'",
      [org.id, second.id],
    );
    const outbox = createProcess(t, { slots: 10 });
    for (const one of [org, second]) {
      for (let i = 0; i < 4; i++) await addDestination(t, one, receiver.url);
      await writeEvents(t, one);
      await outbox.publish(one.id);
    }
    const run = outbox.run();
    await vi.waitFor(() => expect(receiver.received).toHaveLength(4));
    const other = await createEventOrg(t);
    const alive = await startReceiver();
    await addDestination(t, other, alive.url);
    await writeEvents(t, other);
    outbox.followed(other.id);
    await vi.waitFor(() => expect(alive.received).toHaveLength(1));
    expect(receiver.received).toHaveLength(4);
    await outbox.stop();
    await run;
  });

  it('is found behind 4,000 of another account that are due, in 200 organizations', async () => {
    const { sql } = t.services.database;
    const version = t.services.orgMigrations.length;
    const mine = await addDestination(t, org, receiver.url);
    const other = await createEventOrg(t);
    await other.run(
      `insert into shared.orgs (id, name, slug, plan, schema_version, created_by, created_at)
        select gen_random_uuid(), 'Crowd', 'crowd-' || n, 'free', $2, created_by, now()
        from shared.orgs, generate_series(1, 200) n where id = $1`,
      [other.id, version],
    );
    await other.run(
      `insert into shared.destinations (id, org_id, kind, url, secret, events, enabled, created_at, updated_at, due_at)
        select gen_random_uuid(), id, 'webhook', $1, 'plain.', '{}', true, now(), now(), now() - interval '1 hour'
        from shared.orgs, generate_series(1, 20) where slug like 'crowd-%'`,
      [receiver.url],
    );
    await org.run("update shared.destinations set due_at = now() - interval '1 minute' where id = $1", [
      mine.id,
    ]);
    const now = new Date();
    const take = (busy: ReadonlyMap<string, number>) =>
      takeDestinations(sql, { now, until: new Date(0), version, limit: 32, perAccount: 4, busy });
    const taken = await take(new Map());
    const crowd = taken.filter(({ id }) => id !== mine.id);
    expect([taken.length, crowd.length]).toEqual([5, 4]);
    const [account = ''] = new Set(crowd.map((one) => one.account));
    const more = await take(new Map([[account, 3]]));
    expect(new Set(more.map((one) => one.account))).toEqual(new Set(taken.map((one) => one.account)));
    expect(more).toHaveLength(2);
    expect(await take(new Map([[account, 4]]))).toMatchObject([{ id: mine.id, org: { id: org.id } }]);
    await org.run("delete from shared.orgs where slug like 'crowd-%'");
  });

  it('with many deliveries lets others come in between', async () => {
    const other = await createEventOrg(t);
    await addDestination(t, org, receiver.url);
    await addDestination(t, other, receiver.url);
    await writeEvents(t, org, 50);
    const outbox = createProcess(t, { slots: 1 });
    await outbox.publish(org.id);
    const [id] = await writeEvents(t, other);
    await outbox.publish(other.id);
    expect(await outbox.run()).toBe(51);
    expect(received().indexOf(id ?? '')).toBe(20);
  });

  it('that takes more than five seconds lets others come after each delivery', async () => {
    const other = await createEventOrg(t);
    await addDestination(t, org, receiver.url);
    await addDestination(t, other, receiver.url);
    const [slow, last] = await writeEvents(t, org, 2);
    const outbox = createProcess(t, { slots: 1 });
    await outbox.publish(org.id);
    const [id] = await writeEvents(t, other);
    await outbox.publish(other.id);
    receiver.answer = (response, { headers }) =>
      setTimeout(() => response.writeHead(204).end(), headers['webhook-id'] === slow ? 5_100 : 0);
    expect(await outbox.run()).toBe(3);
    expect(received()).toEqual([slow, id, last]);
  });

  it('is locked after those with lower ids, so that processes do not wait for each other in a circle', async () => {
    const { sql } = t.services.database;
    const added: Destination[] = [];
    for (let i = 0; i < 5; i++) added.push(await addDestination(t, org, receiver.url));
    const [first = '', ...others] = added.map(({ id }) => id).sort();
    const ids = [...others.reverse(), first];
    const leased = ids.map((id) => ({ id, lease: 0 }));
    const tasks = [
      () => renewLeases(sql, leased, new Date()),
      () => wakeDestinations(sql, ids, new Date().toISOString()),
    ];
    for (const task of tasks) {
      const commit = await holdOpen(sql, (tx) =>
        tx.unsafe('select from shared.destinations where id = $1 for update', [first]),
      );
      const done = task();
      await untilBlocked(sql);
      const free = await org.run('select id from shared.destinations for update skip locked');
      expect(free).toHaveLength(others.length);
      await commit();
      await done;
    }
    const rows = await org.run('select wakes from shared.destinations where due_at is not null');
    expect(rows.map(({ wakes }) => wakes)).toEqual([1, 1, 1, 1, 1]);
  });
});

describe('findings that become overdue', () => {
  it('are events, 500 each, and once', async () => {
    await addDestination(t, org, receiver.url, ['finding.overdue']);
    await send(t, org);
    const scan = await createScan(t.api, org);
    const { id } = await push(t.api, org, scan);
    const columns = await org.run(
      "select string_agg(quote_ident(column_name), ', ') as list from information_schema.columns where table_schema || '.' = replace('ORG.', '\"', '') and table_name = 'findings' and column_name not in ('id', 'fingerprint', 'due_at')",
    );
    const { list } = columns[0];
    await org.run(
      `insert into ORG.findings (id, fingerprint, due_at, ${list}) select gen_random_uuid(), 'copy ' || n, $2::timestamptz, ${list}
        from ORG.findings, generate_series(1, 600) n where id = $1`,
      [id, new Date(t.services.clock().getTime() + MINUTE).toISOString()],
    );
    await org.run("update ORG.findings set status = 'fixed' where fingerprint = 'copy 7'");
    await org.run('delete from ORG.events');
    t.advance(10 * SECOND);
    await createProcess(t).run();
    expect(receiver.received).toEqual([]);
    t.advance(MINUTE);
    await Promise.all([createProcess(t).run(), createProcess(t).run()]);
    t.advance(10 * SECOND);
    await createProcess(t).run();
    const events = await org.run(
      "select cardinality(finding_ids) as count from ORG.events where type = 'finding.overdue' order by 1",
    );
    expect(events.map(({ count }) => count)).toEqual([99, 500]);
    expect(receiver.received).toHaveLength(2);
  });
});

describe('metrics', () => {
  it('count attempts, and show for how long a destination has been due', async () => {
    const { metrics, database, orgMigrations } = t.services;
    const read = () => readBacklog(database.db, orgMigrations.length);
    const destination = await addDestination(t, org, receiver.url);
    await writeEvents(t, org, 2);
    receiver.answer = (response) => response.writeHead(received().length === 1 ? 500 : 200).end();
    await send(t, org, { onOutcome: metrics.deliveryTried });
    const text = await metrics.render();
    expect(text).toContain('svc_event_deliveries_total{outcome="delivered"} 1');
    expect(text).toContain('svc_event_deliveries_total{outcome="failed"} 1');
    expect((await read()).oldestDestinationS).toBe(0);
    await org.run("update shared.destinations set due_at = now() - interval '1 hour' where id = $1", [
      destination.id,
    ]);
    expect((await read()).oldestDestinationS).toBeGreaterThan(3_599);
    await org.run('update shared.destinations set enabled = false');
    expect((await read()).oldestDestinationS).toBe(0);
  });
});

describe('the purge', () => {
  it('deletes events and deliveries of more than 30 days', async () => {
    const destination = await addDestination(t, org, receiver.url);
    await writeEvents(t, org, 3);
    await send(t, org);
    await org.run("update ORG.events set at = now() - interval '31 days' where seq <= 2");
    await org.run(
      "update ORG.deliveries set created_at = now() - interval '31 days' where event_id in (select id from ORG.events where seq = 1)",
    );
    await purgeOrgs(t.services);
    expect(await org.run('select seq from ORG.events')).toMatchObject([{ seq: '3' }]);
    expect((await deliveriesOf(org, destination)).map(({ seq }) => seq)).toEqual(['3', null]);
  });

  it('goes on with the others where it fails, and tells of the failure', async () => {
    const later = await createEventOrg(t);
    await writeEvents(t, later);
    await later.run("update ORG.events set at = now() - interval '31 days'");
    await org.run('alter table ORG.events rename column at to other');
    await expect(purgeOrgs(t.services)).rejects.toThrow('column "at" does not exist');
    expect(await later.run('select seq from ORG.events')).toEqual([]);
    await org.run('alter table ORG.events rename column other to at');
  });

  it('makes destinations due again that have forgotten their deliveries', async () => {
    const { url } = receiver;
    const [forgotten, off, idle] = [
      await addDestination(t, org, url),
      await addDestination(t, org, url),
      await addDestination(t, org, url, ['member.*']),
    ];
    const [id] = await writeEvents(t, org);
    await createProcess(t).publish(org.id);
    await org.run('update shared.destinations set due_at = null, enabled = id <> $1', [off.id]);
    expect(await createProcess(t).run()).toBe(0);
    await purgeOrgs(t.services);
    expect(await destinationRow(org, off)).toMatchObject({ due_at: null });
    expect(await destinationRow(org, idle)).toMatchObject({ due_at: null });
    expect(await createProcess(t).run()).toBe(1);
    expect(received()).toEqual([id]);
    await purgeOrgs(t.services);
    expect(await destinationRow(org, forgotten)).toMatchObject({ due_at: null });
  });

  it('leaves no delivery without its event to be sent', async () => {
    const destination = await addDestination(t, org, receiver.url);
    await writeEvents(t, org, 2);
    fails();
    await send(t, org);
    await org.run('delete from ORG.events where seq = 1');
    succeeds();
    t.advance(2 * MINUTE);
    await createProcess(t).run();
    expect(await deliveriesOf(org, destination)).toMatchObject([{ seq: '2', state: 'delivered' }]);
    expect(receiver.received).toHaveLength(3);
  });
});

describe('a request', () => {
  it('that changes something has its events sent at once', async () => {
    await addDestination(t, org, receiver.url, ['project.*']);
    t.services.outbox.followed(org.id);
    await vi.waitFor(() => expect(t.services.followedOrgs.ids).toContain(org.id));
    must(await t.api.patch(`/projects/${org.projectId}`, { ...org.asOwner, body: { name: 'Renamed' } }));
    await vi.waitFor(() => expect(receiver.received).toHaveLength(1));
    expect(receiver.received[0]?.body).toMatchObject({
      ...{ type: 'project.changed', organization: { slug: org.slug } },
      data: { target: { id: org.projectId }, changes: { name: { to: 'Renamed' } } },
    });
  });

  it('that only reads or pushes, or fails, looks for no events', async () => {
    const kick = vi.spyOn(t.services.outbox, 'kick');
    const scan = await createScan(t.api, org);
    expect(kick.mock.calls).toEqual([[org.id]]);
    await push(t.api, org, scan);
    const body = { findings: [finding(org, scan)] };
    must(await t.api.post('/agent/findings/batch', { ...org.asAgent, body }));
    must(await t.api.get('/projects', org.asOwner));
    must(
      await t.api.post('/rules/preview', { ...org.asOwner, body: { conditions: { severity: ['high'] } } }),
    );
    expect((await t.api.post('/projects', { ...org.asOwner, body: {} })).status).toBe(400);
    expect(kick).toHaveBeenCalledTimes(1);
    kick.mockRestore();
  });

  it('of an organization that nobody follows reads nothing', async () => {
    const outbox = createProcess(t);
    await outbox.run();
    const { sql } = t.services.database;
    const unsafe = vi.spyOn(sql, 'unsafe');
    outbox.kick(org.id);
    expect(unsafe).not.toHaveBeenCalled();
    unsafe.mockRestore();
  });
});
