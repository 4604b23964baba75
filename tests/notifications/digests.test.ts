import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { nextDigest, zoneClock } from '../../lib/notifications/digest-time.ts';
import { createOrg, createScan, must, push, type TestMember, type TestOrg } from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';
import { addSubscriber, choose, confirm, flush, mailsTo, queued } from './kit.ts';

describe('the next digest', () => {
  const next = (now: string, time: 'daily' | 'weekly', hour: number, zone: string) =>
    nextDigest(new Date(now), time, hour, zoneClock(zone)).toISOString();

  it.each([
    ['2026-03-27T06:59:59Z', 'daily', 8, 'Europe/Berlin', '2026-03-27T07:00:00.000Z'],
    ['2026-03-27T07:00:00Z', 'daily', 8, 'Europe/Berlin', '2026-03-28T07:00:00.000Z'],
    // The clock is put forward on the 29th at 2:00, back on 25 October at 3:00.
    ['2026-03-28T12:00:00Z', 'daily', 8, 'Europe/Berlin', '2026-03-29T06:00:00.000Z'],
    ['2026-03-28T12:00:00Z', 'daily', 2, 'Europe/Berlin', '2026-03-29T01:00:00.000Z'],
    ['2026-03-28T12:00:00Z', 'daily', 3, 'Europe/Berlin', '2026-03-29T01:00:00.000Z'],
    ['2026-03-29T01:00:00Z', 'daily', 2, 'Europe/Berlin', '2026-03-30T00:00:00.000Z'],
    ['2026-10-24T12:00:00Z', 'daily', 2, 'Europe/Berlin', '2026-10-25T00:00:00.000Z'],
    ['2026-10-25T00:00:00Z', 'daily', 2, 'Europe/Berlin', '2026-10-26T01:00:00.000Z'],
    ['2026-10-24T12:00:00Z', 'daily', 8, 'Europe/Berlin', '2026-10-25T07:00:00.000Z'],
    ['2026-03-24T12:00:00Z', 'weekly', 8, 'Europe/Berlin', '2026-03-30T06:00:00.000Z'],
    ['2026-03-30T06:00:00Z', 'weekly', 8, 'Europe/Berlin', '2026-04-06T06:00:00.000Z'],
    // Monday comes earlier there.
    ['2026-03-29T18:00:00Z', 'weekly', 0, 'Asia/Kathmandu', '2026-03-29T18:15:00.000Z'],
    ['2026-03-29T18:15:00Z', 'daily', 8, 'Asia/Kathmandu', '2026-03-30T02:15:00.000Z'],
    // Put forward by half an hour.
    ['2026-10-03T12:00:00Z', 'daily', 2, 'Australia/Lord_Howe', '2026-10-03T15:30:00.000Z'],
    ['2026-12-31T23:59:59Z', 'daily', 0, 'UTC', '2027-01-01T00:00:00.000Z'],
    // Stored by a runtime that knew it.
    ['2026-01-01T00:00:00Z', 'daily', 8, 'Mars/Olympus', '2026-01-01T08:00:00.000Z'],
  ] as const)('after %s, %s at %i in %s', (now, time, hour, zone, at) =>
    expect(next(now, time, hour, zone)).toBe(at),
  );
});

describe('a digest', () => {
  let t: TestApp;
  let org: TestOrg;
  let grace: TestMember;

  beforeAll(async () => {
    t = await startApp({
      env: { SVC_PUBLIC_URL: 'https://findings.example.com', SVC_MAX_MAILS_PER_HOUR: '3' },
    });
  });

  beforeEach(async () => {
    org = await createOrg(t.api);
    grace = await addSubscriber(t, org, { assigned: 'daily', time_zone: 'Asia/Kathmandu', hour: 8 });
  });

  const make = async (title = 'SQL injection in search', of = org) => {
    const { id } = await push(t.api, of, await createScan(t.api, of), { title });
    must(await t.api.patch(`/findings/${id}`, { ...of.asOwner, body: { assignee_id: grace.id } }));
    return id as string;
  };
  const untilDue = async () => {
    const [row] = await queued(t);
    t.advance(new Date(row?.due).getTime() - t.services.clock().getTime() + 1_000);
    await t.services.mail.deliverDue();
  };

  it('has the notices of all organizations, by organization and project', async () => {
    const other = await createOrg(t.api, `aaa-${randomUUID().slice(0, 8)}`);
    must(
      await t.api.post('/members/invite', { ...other.asOwner, body: { email: grace.email, role: 'member' } }),
    );
    await confirm(t, grace.id);
    await make('First finding');
    await flush(t, org);
    await make('Second finding', other);
    await make('Third finding', other);
    await flush(t, other);
    expect(mailsTo(t, grace)).toEqual([]);
    const rows = await queued(t);
    expect(rows).toHaveLength(1);
    // 8:00 in Kathmandu.
    expect(new Date(rows[0]?.due).toISOString()).toMatch(/T02:15:00\.000Z$/);
    await untilDue();
    const [mail, ...others] = mailsTo(t, grace);
    expect(others).toEqual([]);
    expect(mail?.subject).toBe('Daily summary: 3 notices about findings');
    const lines = mail?.text.split('\n').filter((line) => line.includes(' / Web shop: '));
    expect(lines?.map((line) => /([A-Z]\w+) finding /.exec(line)?.[1])).toEqual(['Second', 'Third', 'First']);
    expect(lines?.[2]).toMatch(
      new RegExp(
        `^${org.slug} \\(${org.slug}\\) / Web shop: A finding was assigned to you: First finding https://findings\\.example\\.com/o/${org.slug}/findings/`,
      ),
    );
    // The next notice begins another one.
    await make();
    await flush(t, org);
    expect(await queued(t)).toHaveLength(1);
  });

  it('lists 100 notices and counts the others', async () => {
    await t.services.database.db.transaction(async (tx) => {
      const notice = {
        time: 'daily' as const,
        name: 'Grace',
        group: 'Acme / Shop',
        text: 'A finding',
        url: 'https://x/',
      };
      const links = { unsubscribePage: 'https://x/', unsubscribePost: 'https://x/' };
      const { collectAll } = t.services.mail;
      const one = { recipient: grace.email, key: 'k', dueAt: t.services.clock() };
      await collectAll(
        tx,
        Array.from({ length: 101 }, () => ({ ...one, notice: { ...notice, ...links } })),
      );
      await collectAll(tx, [{ ...one, notice: { ...notice, ...links } }]);
    });
    await t.services.mail.deliverDue();
    const mail = mailsTo(t, grace).at(-1);
    expect(mail?.subject).toBe('Daily summary: 102 notices about findings');
    expect(mail?.text.split('Acme / Shop').length).toBe(101);
    expect(mail?.text).toContain('2 more are not listed.');
  });

  it('is not sent once its kinds are off', async () => {
    await make();
    await flush(t, org);
    const count = async () => (await queued(t)).length;
    const before = await count();
    await choose(t, grace, { mentioned: 'daily', assigned: 'weekly' });
    expect(await count()).toBe(before);
    await choose(t, grace, { mentioned: 'off' });
    expect(await count()).toBe(before - 1);
  });

  it('has what is beyond the quota of mails per hour', async () => {
    await choose(t, grace, { assigned: 'now' });
    for (let n = 1; n <= 6; n++) {
      await make(`Finding ${n}`);
      if (n % 2 === 0) await flush(t, org);
    }
    const subjects = () => mailsTo(t, grace).map(({ subject }) => subject);
    expect(subjects()).toEqual([1, 2, 3].map((n) => `A finding was assigned to you: Finding ${n}`));
    t.advance(3_600_000);
    await t.services.mail.deliverDue();
    expect(subjects().slice(3)).toEqual(['Further notices: 3 notices about findings']);
  });
});
