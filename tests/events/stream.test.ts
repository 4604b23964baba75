import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { EventBody } from '../../lib/events/body.ts';
import { createEventFeeds } from '../../lib/events/feeds.ts';
import { createOpenStreams, MAX_STREAMS } from '../../lib/events/open-streams.ts';
import { eventParts } from '../../lib/http/lists/events.ts';
import type { Org } from '../../lib/orgs/directory.ts';
import {
  addMember,
  type CallOptions,
  createOrg,
  createScan,
  createUser,
  must,
  push,
  type TestOrg,
} from '../support/api/api.ts';
import { createLimited } from '../support/api/limited.ts';
import { startApp, type TestApp } from '../support/server/app.ts';
import { eventsOf } from './kit.ts';
import { openStream } from './stream-client.ts';

/* Clients hear of events as they happen, without gaps and repeats, and of nothing that they may not see. */

let t: TestApp;
let org: TestOrg;
let id: string;

beforeAll(async () => {
  t = await startApp();
});

beforeEach(async () => {
  org = await createOrg(t.api);
  const scanId = await createScan(t.api, org);
  id = (await push(t.api, org, scanId, { severity: 'high' })).id;
});

const open = (query = '', options: CallOptions = org.asOwner, at = t) => openStream(at.app, query, options);
const changed = new Set<string>();
/** Causes an event: confirms a finding, or opens it again. */
async function change(finding = id, as = org.asOwner): Promise<void> {
  const status = changed.delete(finding) ? 'open' : 'confirmed';
  if (status === 'confirmed') changed.add(finding);
  must(await t.api.patch(`/findings/${finding}`, { ...as, body: { status } }));
}
/** Time in which an event would arrive. */
const A_WHILE_MS = 3_000;

describe('a stream', () => {
  it('begins with the next event, and has each once, in order', async () => {
    await change();
    const stream = await open();
    expect(stream.headers.get('content-type')).toBe('text/event-stream');
    expect(stream.headers.get('cache-control')).toBe('no-store');
    expect(stream.text()).toMatch(/^: events\nretry: 3000\nid: \d+\n\n$/);
    const began = performance.now();
    await change();
    await stream.until(1);
    // A change in this process is heard at once, not with the next poll.
    expect(performance.now() - began).toBeLessThan(1_500);
    for (let i = 0; i < 3; i++) await change();
    const events = await stream.until(4);
    const [first = 0] = stream.ids;
    expect(stream.ids).toEqual([0, 1, 2, 3].map((n) => first + n));
    expect(new Set(events.map((event) => event.id)).size).toBe(4);
    expect(events[0]).toMatchObject({
      type: 'finding.status_changed',
      organization: { id: org.id, slug: org.slug },
      data: { findings: [{ id }], total: 1 },
    });
  });

  it('has events that other processes cause, and is read by several', async () => {
    const streams = [await open(), await open()];
    const other = await startApp({ databaseUrl: t.databaseUrl });
    must(await other.api.patch(`/findings/${id}`, { ...org.asOwner, body: { status: 'fixed' } }));
    const heard = await Promise.all(streams.map((stream) => stream.until(1)));
    expect(heard[0]).toEqual(heard[1]);
  });

  it.each(['header', 'query'])('is resumed behind the last event by a %s', async (by) => {
    const resume = (last: string) =>
      by === 'header'
        ? open('?last_event_id=0', { ...org.asOwner, headers: { 'last-event-id': last } })
        : open(`?last_event_id=${last}`);
    const before = await open();
    const start = before.lastId();
    await change();
    await before.until(1);
    await before.close();
    for (let i = 0; i < 3; i++) await change();
    const after = await resume(before.lastId());
    await after.until(3);
    await change();
    await after.until(4);
    const all = await resume(start);
    await all.until(5);
    expect(all.events).toEqual([...before.events, ...after.events]);
  });

  it('is resumed over more events than are read at once', async () => {
    const { run } = eventsOf(t, org);
    const start = (await open()).lastId();
    await run(
      `insert into ORG.events (id, at, type, actor_id, finding_ids) select gen_random_uuid(), now() + n * interval '1 ms',
         'finding.overdue', null, array[$1::uuid] from generate_series(1, 250) n`,
      [id],
    );
    const stream = await open(`?last_event_id=${start}`);
    await stream.until(250);
    expect(stream.ids).toEqual(Array.from({ length: 250 }, (_, i) => Number(start) + 1 + i));
  });

  it('reads few events at once if they are large', async () => {
    const { run } = eventsOf(t, org);
    const named = await t.services.orgs.named(org.slug);
    const feed = await t.services.eventFeeds.follow(named as Org);
    const start = feed.latest;
    const insert = (type: string, events: number, findings: number, minute: number) =>
      run(
        `insert into ORG.events (id, at, type, subject, finding_ids) select gen_random_uuid(),
           now() + $4::int * interval '1 minute' + n * interval '1 ms', $1::text, case when $1::text like 'scan.%' then 'x' end,
           (select array_agg(gen_random_uuid()) from generate_series(1, $3::int)) from generate_series(1, $2::int) n`,
        [type, String(events), String(findings), String(minute)],
      );
    await insert('scan.completed', 12, 0, 1);
    await insert('finding.overdue', 5, 400, 2);
    await insert('finding.overdue', 1, 1_200, 3);
    await insert('finding.overdue', 120, 1, 4);
    t.services.eventFeeds.wake(org.id);
    await feed.wait(start + 137, 5_000);
    const sizes: number[] = [];
    for (let at = start; at < feed.latest; ) {
      const { events, end } = await feed.read(at);
      sizes.push(events.length);
      expect(end).toBe(at + events.length);
      at = end;
    }
    feed.close();
    expect(sizes).toEqual([10, 4, 2, 1, 1, 100, 20]);
  });

  it('has what is left after old events were removed', async () => {
    const { run } = eventsOf(t, org);
    const start = (await open()).lastId();
    await change();
    await change();
    const seen = await open(`?last_event_id=${start}`);
    await seen.until(2);
    await run('delete from ORG.events where seq = $1::bigint', [String(seen.ids[0])]);
    // Streams share what they have read for a second.
    await sleep(1_100);
    const left = await open(`?last_event_id=${start}`);
    await left.until(1);
    expect(left.ids).toEqual([seen.ids[1]]);
    await run('delete from ORG.events');
    await sleep(1_100);
    const none = await open(`?last_event_id=${start}`);
    await change();
    await none.until(1);
    expect(none.ids).toEqual([(seen.ids[1] ?? 0) + 1]);
  });

  it('has no unknown or invalid id', async () => {
    const { headers } = await t.api.get('/events', org.asOwner);
    expect(headers.get('content-type')).toBe('text/event-stream');
    for (const value of ['999999999', '-1', 'x', '1.5', '1'.repeat(16), '']) {
      const answer = await t.api.get(`/events?last_event_id=${value}`, org.asOwner);
      expect([value, answer.refusal]).toEqual([value, '400 validation_error/invalid_request last_event_id']);
    }
    const given = { ...org.asOwner, headers: { 'last-event-id': 'x' } };
    expect((await t.api.get('/events', given)).refusal).toBe(
      '400 validation_error/invalid_request last-event-id',
    );
    for (const query of ['events=scan', 'min_severity=worst', 'project_id=x', 'page=1'])
      expect((await t.api.get(`/events?${query}`, org.asOwner)).status).toBe(400);
  });

  it('has the events that its client wants', async () => {
    const [ofMembers, ofComments, critical, elsewhere] = await Promise.all([
      open('?events=member.*,project.*'),
      open('?events=finding.commented&events=finding.assigned'),
      open('?min_severity=critical'),
      open(`?project_id=${crypto.randomUUID()}`),
    ]);
    const everything = await open();
    await change();
    must(await t.api.post(`/findings/${id}/comments`, { ...org.asOwner, body: { body: 'Hm.' } }));
    await addMember(t.api, org, 'viewer');
    await everything.until(3);
    await ofMembers.until(1);
    await ofComments.until(1);
    await critical.until(1);
    await sleep(200);
    expect(ofMembers.types()).toEqual(['member.invited']);
    expect(ofComments.types()).toEqual(['finding.commented']);
    expect(critical.types()).toEqual(['member.invited']);
    expect(elsewhere.types()).toEqual([]);
  });

  it('of an organization without tables begins with its first event', async () => {
    const { cookie } = await createUser(t.api);
    const slug = `${org.slug}-new`;
    must(await t.api.post('/orgs', { cookie, body: { name: slug, slug } }));
    const stream = await open('', { cookie, org: slug });
    must(await t.api.post('/projects', { cookie, org: slug, body: { name: 'Shop' } }));
    await stream.until(1);
    expect(stream.types()).toContain('project.created');
  });

  it('holds no connection to the database, and no place at the gate', async () => {
    await open();
    // Other work takes one now and then, and for longer on a busy machine.
    await vi.waitFor(async () => {
      const quiet = await Promise.all(
        Array.from({ length: 20 }, async (_, i) => {
          await sleep(i * 10);
          return t.services.database.pool().inUse;
        }),
      );
      expect(quiet.filter((inUse) => inUse === 0).length).toBeGreaterThan(10);
    });
  });

  it('has no body for HEAD', async () => {
    const answer = await t.api.call('HEAD', '/events', org.asOwner);
    expect([answer.status, answer.text]).toEqual([200, '']);
  });
});

describe('a caller', () => {
  const ofOrg = async (...scopes: string[]) => {
    must(await t.api.patch('/org-features/org_wide_tokens', { ...org.asOwner, body: { enabled: true } }));
    return must(await t.api.post('/tokens', { ...org.asOwner, body: { name: 'script', scopes } }));
  };

  it('with a token hears of members only with the scope `admin`', async () => {
    const [read, admin] = [await ofOrg('read'), await ofOrg('admin')];
    const streams = await Promise.all([read, admin].map(({ token }) => open('', { token, org: org.slug })));
    await addMember(t.api, org, 'viewer');
    await change();
    await Promise.all([streams[0]?.until(1), streams[1]?.until(2)]);
    expect(streams.map((stream) => stream.types())).toEqual([
      ['finding.status_changed'],
      ['member.invited', 'finding.status_changed'],
    ]);
  });

  it('that may not read is refused', async () => {
    const { token } = await ofOrg('ingest');
    const answer = await t.api.get('/events', { token, org: org.slug });
    expect(answer.error).toBe('auth_error/not_authenticated');
  });

  it('with a lower role hears of no members any more', async () => {
    const bob = await addMember(t.api, org, 'admin');
    const stream = await open('', bob.as);
    await addMember(t.api, org, 'viewer');
    await stream.until(1);
    must(await t.api.patch(`/members/${bob.id}`, { ...org.asOwner, body: { role: 'viewer' } }));
    await sleep(1_500);
    const before = stream.events.length;
    await addMember(t.api, org, 'viewer');
    await change();
    await stream.until(before + 1);
    expect(stream.types().slice(before)).toEqual(['finding.status_changed']);
  });

  it('hears of its projects only', async () => {
    const { orgs, findings, cyd, assign } = await createLimited(t);
    const { token } = must(
      await t.api.post(`/projects/${orgs.seen.projectId}/tokens`, {
        ...orgs.mine.asOwner,
        body: { name: 'script', scopes: ['read'] },
      }),
    );
    const limited = await open('', cyd.as);
    const hidden = await open(`?project_id=${orgs.hidden.projectId}`, cyd.as);
    const ofToken = await open('', { token, org: orgs.mine.slug });
    const owner = await open('?events=finding.status_changed', orgs.mine.asOwner);
    const { asOwner } = orgs.mine;
    await addMember(t.api, orgs.mine, 'viewer');
    for (const project of ['hidden', 'mine', 'seen'] as const) await change(findings[project], asOwner);
    const ids = [findings.hidden, findings.mine, findings.seen];
    must(await t.api.patch('/findings', { ...asOwner, body: { ids, assignee_id: orgs.mine.owner.id } }));
    await owner.until(3);
    await limited.until(3);
    await ofToken.until(2);
    await sleep(200);
    expect(limited.types()).toEqual([
      ...['finding.status_changed', 'finding.status_changed', 'finding.assigned'],
    ]);
    const text = limited.text();
    expect(text).toContain(findings.mine);
    expect(text).toContain(findings.seen);
    expect(text).not.toContain(findings.hidden);
    expect(text).not.toContain(orgs.hidden.projectId);
    expect(hidden.events).toEqual([]);
    expect(ofToken.types()).toEqual(['finding.status_changed', 'finding.assigned']);
    expect(ofToken.text()).not.toContain(findings.mine);

    // With fewer projects the stream ends, and the next one has less.
    await assign(cyd, { seen: 'viewer' });
    expect(await limited.ended).toBe('aborted');
    await change(findings.mine, asOwner);
    await change(findings.seen, asOwner);
    const next = await open(`?last_event_id=${limited.lastId()}`, cyd.as);
    await next.until(1);
    expect(next.text()).not.toContain(findings.mine);

    // With more projects it hears of more.
    await assign(cyd, { seen: 'viewer', mine: 'viewer' });
    await sleep(1_500);
    await change(findings.mine, asOwner);
    await next.until(2);
    expect(next.text()).toContain(findings.mine);
  });

  it('that is limited to projects while it listens hears no more', async () => {
    const { orgs, findings, cyd, assign } = await createLimited(t);
    await assign(cyd, 'all');
    const stream = await open('', cyd.as);
    await assign(cyd, { mine: 'viewer' });
    expect(await stream.ended).toBe('aborted');
    await change(findings.hidden, orgs.mine.asOwner);
    await sleep(200);
    expect(stream.events).toEqual([]);
  });

  it.each<[string, () => Promise<[CallOptions, () => Promise<unknown>]>]>([
    [
      'is removed',
      async () => {
        const bob = await addMember(t.api, org);
        return [bob.as, async () => must(await t.api.delete(`/members/${bob.id}`, org.asOwner))];
      },
    ],
    [
      'has logged out',
      async () => {
        const bob = await addMember(t.api, org);
        return [bob.as, () => t.api.post('/auth/logout', { cookie: bob.cookie })];
      },
    ],
    [
      'has a revoked token',
      async () => {
        const { token, info } = await ofOrg('read');
        return [{ token, org: org.slug }, () => t.api.delete(`/tokens/${info.id}`, org.asOwner)];
      },
    ],
    [
      'is of a deleted organization',
      async () => [
        org.asOwner,
        async () =>
          must(await t.api.delete(`/orgs/${org.slug}`, { ...org.asOwner, body: { confirm: org.slug } })),
      ],
    ],
  ])('that %s hears no more', async (_, prepare) => {
    const [options, end] = await prepare();
    const stream = await open('', options);
    await end();
    const lostAt = performance.now();
    expect(await stream.ended).toBe('aborted');
    expect(performance.now() - lostAt).toBeLessThan(A_WHILE_MS);
    const before = stream.events.length;
    await t.api.patch(`/findings/${id}`, { ...org.asOwner, body: { status: 'fixed' } });
    await sleep(100);
    expect(stream.events).toHaveLength(before);
  });

  it('has at most 10 streams', async () => {
    const bob = await addMember(t.api, org);
    const streams = await Promise.all(
      Array.from({ length: MAX_STREAMS.ofCredential }, () => open('', bob.as)),
    );
    const refused = await t.api.get('/events', bob.as);
    expect(refused.refusal).toBe('429 rate_limit_error/exceeded');
    expect(refused.headers.get('retry-after')).toBe('60');
    await open();
    await streams[0]?.close();
    await open('', bob.as);
    expect((await t.api.get('/events', bob.as)).status).toBe(429);
  });
});

it('an organization has at most 100 streams', () => {
  const streams = createOpenStreams();
  const leave = Array.from({ length: MAX_STREAMS.ofOrg }, (_, i) =>
    streams.enter({ id: 'org' }, `user-${i}`),
  );
  expect(() => streams.enter({ id: 'org' }, 'other')).toThrow(
    'This organization has 100 open streams of events.',
  );
  streams.enter({ id: 'elsewhere' }, 'other')();
  leave[0]?.();
  leave[0]?.();
  streams.enter({ id: 'org' }, 'other');
  expect(() => streams.enter({ id: 'org' }, 'more')).toThrow();
});

it('the organizations of an account have at most 200 streams', () => {
  const streams = createOpenStreams();
  const of = (i: number) => ({ id: `org-${i}`, account: 'ada' });
  const leave = Array.from({ length: MAX_STREAMS.ofAccount }, (_, i) => streams.enter(of(i), 'ada'));
  const refused = () => streams.enter(of(1_000), 'ada');
  expect(refused).toThrow('The account of this organization has 200 open streams of events.');
  streams.enter({ id: 'org-1000', account: 'bob' }, 'ada')();
  leave[7]?.();
  refused();
  expect(refused).toThrow();
});

describe('the parts of a stream', () => {
  const { signal } = new AbortController();
  const decoder = new TextDecoder();

  it('end after 5 minutes, whatever was read before', async () => {
    vi.useFakeTimers();
    try {
      const event = { id, at: '2026-01-01T00:00:00Z', type: 'member.left', actor_id: null };
      const heard = (seq: number) => ({
        event: { ...event, seq, subject: null, finding_ids: null },
        bodyFor: () => ({ id }) as EventBody,
      });
      const feed = {
        ...{ latest: 9, isOver: false, close() {}, wait: async () => true },
        read: async () => ({ events: [heard(8), heard(9)], end: 9 }),
      };
      const { next } = eventParts(feed, 7, {}, () => ({ isAdmin: false }));
      const part = async () => {
        const { bytes, isLast } = await next();
        return [decoder.decode(bytes), isLast];
      };
      expect(await part()).toEqual([`id: 8\nevent: member.left\ndata: {"id":"${id}"}\n\n`, false]);
      vi.advanceTimersByTime(5 * 60_000);
      // The next stream is resumed behind the last event that was sent.
      expect(await part()).toEqual([':\n\n', true]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('are comments while there is nothing to hear, with the position, and end after 5 minutes', async () => {
    vi.useFakeTimers();
    try {
      const event = { id, at: '2026-01-01T00:00:00Z', type: 'member.left', actor_id: null };
      const unheard = {
        event: { ...event, seq: 8, subject: null, finding_ids: null },
        bodyFor: () => undefined,
      };
      let latest = 8;
      const { first, next } = eventParts(
        {
          ...{ latest, isOver: signal.aborted, close() {} },
          async wait(after, ms) {
            if (latest > after) return true;
            vi.advanceTimersByTime(ms);
            return false;
          },
          read: async () => ({ events: [unheard], end: 9 }),
        },
        7,
        {},
        () => ({ isAdmin: false }),
      );
      expect(decoder.decode(first)).toContain('\nid: 7\n\n');
      const parts: string[] = [];
      for (let isLast = false; !isLast; ) {
        const part = await next();
        ({ isLast } = part);
        parts.push(decoder.decode(part.bytes));
        latest = 9;
      }
      expect(parts).toEqual([':\nid: 9\n\n', ...Array.from({ length: 19 }, () => ':\n\n')]);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('streams that begin at the same time', () => {
  const feedsWith = (publish: (orgId: string) => Promise<number>) => {
    const { database, orgs, config, log } = t.services;
    return createEventFeeds({ database, orgs, config, log, publish });
  };

  it('wait for one look for new events', async () => {
    const named = (await t.services.orgs.named(org.slug)) as Org;
    let looks = 0;
    const feeds = feedsWith(async () => {
      looks++;
      await sleep(100);
      return 7;
    });
    const open = await Promise.all(Array.from({ length: 100 }, () => feeds.follow(named)));
    expect(looks).toBe(1);
    expect(new Set(open.map(({ latest }) => latest))).toEqual(new Set([7]));
    for (const feed of open) feed.close();
    feeds.stop();
  });

  it('know the events that their clients know, though the look began before', async () => {
    const named = (await t.services.orgs.named(org.slug)) as Org;
    let looks = 0;
    const feeds = feedsWith(async () => {
      const latest = ++looks === 1 ? 7 : 8;
      await sleep(100);
      return latest;
    });
    const open = await Promise.all([feeds.follow(named), feeds.follow(named, 8), feeds.follow(named, 8)]);
    expect(open.map(({ latest }) => latest)).toEqual([8, 8, 8]);
    expect(looks).toBe(2);
    for (const feed of open) feed.close();
    feeds.stop();
  });

  it('fail together if it fails, and later ones look again', async () => {
    const named = (await t.services.orgs.named(org.slug)) as Org;
    let looks = 0;
    const feeds = feedsWith(async () => {
      if (++looks === 1) throw new Error('no connection');
      return 7;
    });
    const failed = await Promise.allSettled([feeds.follow(named), feeds.follow(named)]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const feed = await feeds.follow(named);
    expect([looks, feed.latest]).toEqual([2, 7]);
    feed.close();
    feeds.stop();
  });
});

it('a process that stops ends its streams', async () => {
  const own = await startApp({ databaseUrl: t.databaseUrl });
  const stream = await open('', org.asOwner, own);
  own.services.eventFeeds.stop();
  expect(await stream.ended).toBe('ended');
  const late = await open('', org.asOwner, own);
  expect(await late.ended).toBe('ended');
});
