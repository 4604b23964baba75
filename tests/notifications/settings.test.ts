import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createUnsubscribeTokens, type Unsubscribed } from '../../lib/notifications/unsubscribe.ts';
import {
  addMember,
  createOrg,
  createScan,
  createUser,
  must,
  push,
  type TestOrg,
  type TestUser,
} from '../support/api/api.ts';
import { resetBy } from '../support/api/mailed.ts';
import { startApp, type TestApp } from '../support/server/app.ts';
import { addSubscriber, choose, flush, mailsTo, run } from './kit.ts';

const DEFAULTS = {
  ...{ assigned: 'off', mentioned: 'off', new_critical: 'off', regressed: 'off', scan_failed: 'off' },
  ...{ due_soon: 'off', token_expiring: 'off', time_zone: 'UTC', hour: 8 },
};

let t: TestApp;
let user: TestUser;

beforeAll(async () => {
  t = await startApp({ env: { SVC_PUBLIC_URL: 'https://findings.example.com' } });
});

beforeEach(async () => {
  user = await createUser(t.api);
});

const settings = async ({ cookie }: TestUser = user) =>
  must(await t.api.get('/profile/notifications', { cookie }));
const put = (body: object) => t.api.put('/profile/notifications', { cookie: user.cookie, body });

describe('the settings', () => {
  it('are off at first, change one by one, and are in the export', async () => {
    expect(await settings()).toEqual(DEFAULTS);
    const chosen = { assigned: 'now', new_critical: 'weekly', time_zone: 'Asia/Kathmandu' };
    expect(must(await put(chosen))).toEqual({ ...DEFAULTS, ...chosen });
    expect(must(await put({ hour: 0 }))).toEqual({ ...DEFAULTS, ...chosen, hour: 0 });
    expect(await settings(await createUser(t.api))).toEqual(DEFAULTS);
    const { text } = await t.api.get('/auth/me/export', { cookie: user.cookie });
    expect(JSON.parse(text).result.notifications).toEqual({ ...DEFAULTS, ...chosen, hour: 0 });
  });

  it.each([
    [{ time_zone: 'Mars/Olympus' }, 'time_zone'],
    [{ time_zone: '+05:30' }, 'time_zone'],
    [{ time_zone: '' }, 'time_zone'],
    [{ time_zone: 'x'.repeat(65) }, 'time_zone'],
    [{ hour: 24 }, 'hour'],
    [{ hour: -1 }, 'hour'],
    [{ hour: 8.5 }, 'hour'],
    [{ assigned: 'hourly' }, 'assigned'],
  ])('refuse %j', async (body, field) => {
    const answer = await put(body);
    expect(answer.status).toBe(400);
    expect(answer.badFields).toEqual([field]);
    expect(await settings()).toEqual(DEFAULTS);
  });

  it('keep kinds that only another version knows', async () => {
    must(await put({ assigned: 'now' }));
    await run(
      t,
      `update shared.notification_settings set kinds = kinds || '{"future":"daily"}' where user_id = $1`,
      [user.id],
    );
    must(await put({ assigned: 'daily' }));
    const [row] = await run(t, 'select kinds from shared.notification_settings where user_id = $1', [
      user.id,
    ]);
    expect(row?.kinds).toMatchObject({ assigned: 'daily', future: 'daily' });
  });

  it('end with the account', async () => {
    must(await put({ assigned: 'now' }));
    await run(t, 'delete from shared.users where id = $1', [user.id]);
    expect(await run(t, 'select from shared.notification_settings where user_id = $1', [user.id])).toEqual(
      [],
    );
  });

  it('end when the owner of the address takes the account back from an earlier holder', async () => {
    const member = await addMember(t.api, await createOrg(t.api));
    await choose(t, member, { assigned: 'now' });
    await run(t, 'update shared.memberships set is_held = true where user_id = $1', [member.id]);
    must(await t.api.post('/auth/forgot-password', { body: { email: member.email } }));
    await resetBy(t, member.email);
    expect(await run(t, 'select from shared.notification_settings where user_id = $1', [member.id])).toEqual(
      [],
    );
  });

  it('of two changes at once have both', async () => {
    await Promise.all([put({ assigned: 'now' }), put({ mentioned: 'daily' }), put({ hour: 3 })]);
    expect(await settings()).toEqual({ ...DEFAULTS, assigned: 'now', mentioned: 'daily', hour: 3 });
  });
});

describe('a link that switches mails off', () => {
  const sign = (what: Unsubscribed, id = user.id) => t.services.unsubscribeTokens.sign(id, what);
  const post = (token: string, options: object = {}) =>
    t.api.post(`/profile/notifications/unsubscribe?token=${encodeURIComponent(token)}`, options);

  it('switches off what the mail was about, and can be repeated', async () => {
    await choose(t, user, { assigned: 'now', mentioned: 'now', new_critical: 'daily', regressed: 'daily' });
    const changes: unknown[] = [];
    for (let n = 0; n < 2; n++) {
      must(await post(sign(['assigned'])));
      expect(await settings()).toMatchObject({ assigned: 'off', mentioned: 'now', new_critical: 'daily' });
      changes.push(
        await run(t, 'select updated_at from shared.notification_settings where user_id = $1', [user.id]),
      );
      t.advance(1_000);
    }
    expect(changes[1]).toEqual(changes[0]);
    must(await post(sign('daily')));
    expect(await settings()).toEqual({ ...DEFAULTS, mentioned: 'now' });
    // Chosen again later, and about somebody who is gone.
    must(await post(sign('weekly')));
    must(await post(sign(['assigned'], '0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07')));
    expect(await settings()).toEqual({ ...DEFAULTS, mentioned: 'now' });
  });

  it('needs no session, and takes the form of mail programs from any site', async () => {
    await choose(t, user, { assigned: 'now' });
    const forms: [string, string][] = [
      ['application/x-www-form-urlencoded', 'List-Unsubscribe=One-Click'],
      [
        'multipart/form-data; boundary=x',
        '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n',
      ],
    ];
    for (const [type, body] of forms) {
      await choose(t, user, { assigned: 'now' });
      const address = `http://localhost/api/v1/profile/notifications/unsubscribe?token=${sign(['assigned'])}&utm_source=mail`;
      const headers = { 'content-type': type, origin: 'https://mail.example' };
      const response = await t.app.request(address, { method: 'POST', headers, body });
      expect(response.status).toBe(200);
      expect((await settings()).assigned).toBe('off');
    }
  });

  it('is refused if the service has not signed it', async () => {
    await choose(t, user, { assigned: 'now' });
    const good = sign(['assigned']);
    const [id, what, mac = ''] = good.split('.');
    const other = createUnsubscribeTokens([{ id: 'x', bytes: Buffer.alloc(32, 7) }]);
    for (const token of [
      ...['', 'x', '..', `${id}.${what}.`, `${id}.${what}`, `${id}.mentioned.${mac}`, `${id}.daily.${mac}`],
      ...[`0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07.${what}.${mac}`, good.slice(0, -1), `${good}AAAA`],
      ...[other.sign(user.id, ['assigned']), `${id}.${what}.${'A'.repeat(43)}`, 'a'.repeat(5_000)],
    ]) {
      const answer = await post(token);
      expect([token, answer.status, answer.error]).toEqual([token, 400, 'validation_error/field_invalid']);
    }
    const { status, error } = await t.api.post('/profile/notifications/unsubscribe');
    expect([status, error]).toEqual([400, 'validation_error/invalid_request']);
    expect((await settings()).assigned).toBe('now');
  });

  it('changes nothing when it is opened, and leads to a page', async () => {
    await choose(t, user, { assigned: 'now' });
    const answer = await t.api.get(`/profile/notifications/unsubscribe?token=${sign(['assigned'])}`);
    expect(answer.status).toBe(302);
    expect(answer.headers.get('location')).toBe(
      `https://findings.example.com/unsubscribe?token=${sign(['assigned'])}`,
    );
    expect((await settings()).assigned).toBe('now');
  });

  it('is in each mail, for its kinds', async () => {
    const org: TestOrg = await createOrg(t.api);
    const grace = await addSubscriber(t, org, { assigned: 'now', mentioned: 'now' });
    const { id } = await push(t.api, org, await createScan(t.api, org));
    must(await t.api.patch(`/findings/${id}`, { ...org.asOwner, body: { assignee_id: grace.id } }));
    await flush(t, org);
    const [mail] = mailsTo(t, grace);
    const [, header = ''] = /token=([^>]+)>/.exec(mail?.headers?.['List-Unsubscribe'] ?? '') ?? [];
    const [, shown] =
      /^Switch these mails off: https:\/\/findings\.example\.com\/unsubscribe\?token=(\S+)$/m.exec(
        mail?.text ?? '',
      ) ?? [];
    expect(header).toBe(shown);
    must(await post(decodeURIComponent(header)));
    expect(await settings(grace)).toMatchObject({ assigned: 'off', mentioned: 'now' });
  });
});
