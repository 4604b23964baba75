import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eraseDigestsOf } from '../../lib/mail/queued-to.ts';
import { nextDigest, zoneClock } from '../../lib/notifications/digest-time.ts';
import { createOrg, createScan, must, push, type TestMember, type TestOrg } from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';
import { addSubscriber, choose, flush, join, mailsTo, queued, run } from './kit.ts';

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
      env: { SVC_PUBLIC_URL: 'https://findings.example.com', SVC_MAX_MAILS_PER_HOUR: '4' },
    });
  });

  beforeEach(async () => {
    await run(t, 'delete from shared.outgoing_mails');
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
    await join(t, other, grace);
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

  it('lists 50 notices of an organization and 100 in all, and is not written any more then', async () => {
    const [second, third] = [await createOrg(t.api), await createOrg(t.api)];
    await join(t, second, grace);
    await join(t, third, grace);
    const dueAt = new Date(t.services.clock().getTime() + 3_600_000);
    const add = (of: TestOrg, count: number) =>
      t.services.database.db.transaction((tx) => {
        const about = { orgId: of.id, projectId: of.projectId };
        const notice = { kinds: ['assigned'], ...about, text: 'A finding', url: `https://x/${of.id}` };
        const one = { userId: grace.id, time: 'daily' as const, dueAt, notice };
        return t.services.mail.collectForDigests(
          tx,
          Array.from({ length: count }, () => one),
        );
      });
    const row = async () =>
      (await run(t, 'select sealed, is_full from shared.outgoing_mails where collects is not null'))[0];
    await add(org, 60);
    const before = await row();
    await add(org, 1);
    expect(await row()).toEqual(before);
    await add(second, 30);
    await add(third, 30);
    const full = await row();
    expect(full).toMatchObject({ is_full: true });
    await add(second, 1);
    expect(await row()).toEqual(full);
    await untilDue();
    const mail = mailsTo(t, grace).at(-1);
    expect(mail?.subject).toBe('Daily summary: 100 notices about findings');
    const countOf = ({ id }: TestOrg) => (mail?.text.split(`https://x/${id}`).length ?? 0) - 1;
    expect([org, second, third].map(countOf)).toEqual([50, 30, 20]);
    expect(mail?.text).toContain('Further notices are not listed.');
  });

  it('leaves out notices of kinds that are off by then, and has those that come at another time', async () => {
    await make();
    await flush(t, org);
    await choose(t, grace, { assigned: 'off', mentioned: 'daily' });
    await untilDue();
    expect(mailsTo(t, grace)).toEqual([]);
    expect(await queued(t)).toEqual([]);
    await choose(t, grace, { assigned: 'daily' });
    await make();
    await flush(t, org);
    await choose(t, grace, { assigned: 'weekly' });
    await untilDue();
    expect(mailsTo(t, grace).map(({ subject }) => subject)).toEqual([
      'Daily summary: 1 notice about findings',
    ]);
  });

  const ofOrg = (text: string) => text.replace('ORG', `"org_${org.id.replaceAll('-', '')}"`);

  it.each([
    ['left', 'delete from shared.memberships where user_id = USER'],
    ['was suspended', 'update shared.memberships set suspended_at = now() where user_id = USER'],
    [
      'reaches other projects',
      "update shared.memberships set project_access = 'assigned' where user_id = USER",
    ],
    ['was disabled', 'update shared.users set disabled_at = now() where id = USER'],
    ['has no verified address', 'update shared.user_emails set verified_at = null where user_id = USER'],
    ['chose nothing any more', 'delete from shared.notification_settings where user_id = USER'],
    ['lost the project', 'update ORG.projects set deleted_at = now()'],
    [
      'lost the organization',
      `insert into shared.org_deletions (org_id, deleted_at, purge_at, lease_until)
        select org_id, now(), now() + interval '1 year', now() from shared.memberships where user_id = USER`,
    ],
  ])('is not sent to a member who %s meanwhile', async (_, statement) => {
    await make();
    await flush(t, org);
    await run(t, ofOrg(statement).replace('USER', `'${grace.id}'`));
    await untilDue();
    expect(mailsTo(t, grace)).toEqual([]);
    expect(await queued(t)).toEqual([]);
  });

  it('goes to the address that the member has when it is sent', async () => {
    await make();
    await flush(t, org);
    const [row] = await run(t, 'select id, sealed from shared.outgoing_mails where is_bulk');
    expect(await t.services.mailBox.open(row?.sealed, row?.id)).not.toContain(grace.email);
    const email = `new-${randomUUID()}@example.com`;
    await run(t, 'update shared.user_emails set email = $2 where user_id = $1', [grace.id, email]);
    await untilDue();
    expect(mailsTo(t, grace)).toEqual([]);
    expect(mailsTo(t, { email })).toHaveLength(1);
  });

  it('is in the export of the account, and deleted with it', async () => {
    await make();
    await flush(t, org);
    const { text } = await t.api.get('/auth/me/export', { cookie: grace.cookie });
    expect(JSON.parse(text).result.queued_mails).toEqual([
      { recipient: grace.email, subject: 'A summary of notices', created_at: expect.any(String) },
    ]);
    await eraseDigestsOf(t.services.database.db, [org.owner.id]);
    expect(await queued(t)).toHaveLength(1);
    await eraseDigestsOf(t.services.database.db, [grace.id]);
    expect(await queued(t)).toEqual([]);
  });

  it('has what is beyond the quota of mails per hour', async () => {
    await choose(t, grace, { assigned: 'now' });
    for (let n = 1; n <= 6; n++) {
      await make(`Finding ${n}`);
      if (n % 2 === 0) await flush(t, org);
    }
    const subjects = () => mailsTo(t, grace).map(({ subject }) => subject);
    expect(subjects()).toEqual([1, 2, 3, 4].map((n) => `A finding was assigned to you: Finding ${n}`));
    t.advance(3_600_000);
    await t.services.mail.deliverDue();
    expect(subjects().slice(4)).toEqual(['Further notices: 2 notices about findings']);
  });

  it('does not have those of an organization within the quota, however many another one causes', async () => {
    const other = await createOrg(t.api);
    await join(t, other, grace);
    await choose(t, grace, { assigned: 'now' });
    for (let n = 0; n < 5; n++) await make();
    await flush(t, org);
    await make('Of the other organization', other);
    await flush(t, other);
    expect(mailsTo(t, grace).at(-1)?.subject).toBe(
      'A finding was assigned to you: Of the other organization',
    );
  });
});
