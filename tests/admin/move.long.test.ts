import { describe, expect, it, vi } from 'vitest';
import { purgeMoved } from '../../lib/admin/move/manage.ts';
import { fill, sharedRowsOf } from '../support/admin/backup.ts';
import { leftIn, moveBetween, rowsIn, sqlOf, UNAVAILABLE, useCells } from '../support/admin/cells.ts';
import { admin } from '../support/admin/command.ts';
import {
  createOrg,
  createScan,
  createUser,
  finding,
  must,
  PASSWORD,
  push,
  type TestOrg,
} from '../support/api/api.ts';
import { expectKeptCounts } from '../support/database/counts.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/* Organizations that have moved to the database of another cell. */

let one: TestApp;
let two: TestApp;
let org: TestOrg;

const { schema, get, move, cancel } = useCells((made) => {
  ({ one, two, org } = made);
});

describe('an organization that has moved', () => {
  it('has all of its rows, its members and tokens in the other cell', async () => {
    await fill(one, org);
    const rows = await rowsIn(one, org);
    const shared = await sharedRowsOf(one.services.database, org);
    const list = must(await get(one, '/findings'));
    expect(await move()).toMatchObject({ org: org.slug, members: 2, members_left_out: [] });
    expect(await rowsIn(two, org)).toEqual(rows);
    expect(await sharedRowsOf(two.services.database, org)).toEqual(shared);
    await expectKeptCounts(two.services.database, org);
    await push(two.api, org, await createScan(two.api, org));
    // Sessions stay: the owner signs in with the same password.
    expect((await get(two, '/findings')).status).toBe(401);
    const { email } = org.owner;
    const { cookie } = await two.api.post('/auth/login', { body: { email, password: PASSWORD } });
    expect(must(await two.api.get('/findings', { cookie, org: org.slug })).slice(-list.length)).toHaveLength(
      list.length,
    );
    expect(await leftIn(two, org)).toEqual([schema()]);
    expect(await leftIn(one, org)).toEqual(['move', `moved_${org.id.replaceAll('-', '')}`]);
  });

  it('has tables there, although nobody has written to it', async () => {
    const owner = await createUser(one.api);
    const slug = `empty-${org.slug}`;
    must(await one.api.post('/orgs', { cookie: owner.cookie, body: { name: 'Empty', slug } }));
    expect(await moveBetween(one, two, { slug })).toMatchObject({ org: slug, members: 1 });
    const { cookie } = await two.api.post('/auth/login', {
      body: { email: owner.email, password: PASSWORD },
    });
    must(await two.api.post('/projects', { cookie, org: slug, body: { name: 'First' } }));
    expect(must(await two.api.get('/projects', { cookie, org: slug }))).toHaveLength(1);
  });

  it('is not served by the cell that it has left, by any of its addresses and whatever a process remembers', async () => {
    const { slug } = org;
    await admin(one.databaseUrl, ['orgs', 'rename', slug, '--slug', `${slug}-new`]);
    await admin(one.databaseUrl, ['domains', 'set', `${slug}-new`, `${slug}.example.org`]);
    const scan = await createScan(one.api, org);
    await push(one.api, org, scan);
    const cold = await startApp({ databaseUrl: one.databaseUrl });
    await moveBetween(one, two, { slug: `${slug}-new` });
    for (const t of [one, cold]) {
      for (const name of [slug, `${slug}-new`]) {
        const answers = [
          await t.api.get('/findings', { ...org.asOwner, org: name }),
          await t.api.post('/agent/findings', { ...org.asAgent, org: name, body: finding(org, scan) }),
          await t.api.get('/auth/me', { ...org.asOwner, org: name, host: `${slug}.example.org` }),
        ];
        for (const { error, headers } of answers.slice(0, 2)) {
          expect(error).toBe(UNAVAILABLE);
          expect(headers.get('retry-after')).toBe('1');
        }
      }
      const { error } = await t.api.get('/findings', {
        cookie: org.owner.cookie,
        host: `${slug}.example.org`,
      });
      expect(error).toBe(UNAVAILABLE);
      expect(JSON.stringify(must(await t.api.get('/orgs', org.asOwner)))).not.toContain(org.id);
    }
    await push(two.api, { ...org, asAgent: { ...org.asAgent, org: `${slug}-new` } }, scan);
    // Nobody else gets its addresses there.
    const other = await createOrg(one.api);
    for (const name of [slug, `${slug}-new`])
      expect((await admin(one.databaseUrl, ['orgs', 'rename', other.slug, '--slug', name])).err).toContain(
        'taken',
      );
  });

  it('is not denied to requests that come at the instant at which it leaves', async () => {
    const body = { name: 'own', expires_in: 30, scopes: ['read'], org_id: org.id };
    const { token } = must(await one.api.post('/profile/tokens', { cookie: org.owner.cookie, body }));
    const stranger = await createUser(one.api);
    const calls = [org.asOwner, { token, org: org.slug }];
    for (const call of calls) must(await one.api.get('/projects', call));
    await move();
    // Such a request finds the tables where they were, and its rows of `shared` gone.
    await sqlOf(one).unsafe(`alter schema "moved_${org.id.replaceAll('-', '')}" rename to "${schema()}"`);
    for (const call of calls) expect((await one.api.get('/projects', call)).error).toBe(UNAVAILABLE);
    const other = await createOrg(one.api);
    const denied = await one.api.get('/projects', { cookie: stranger.cookie, org: other.slug });
    expect(denied.error).toBe('tenant_error/not_member');
  });

  it('does not appear without members or settings to requests whose checks have passed before it leaves', async () => {
    const spy = vi.spyOn(one.services.sessions, 'findInOrg');
    must(await one.api.get('/members', org.asOwner));
    const checked = await spy.mock.results[0]?.value;
    await move();
    await sqlOf(one).unsafe(`alter schema "moved_${org.id.replaceAll('-', '')}" rename to "${schema()}"`);
    const { api } = one;
    const body = { email: 'new@example.com', role: 'member' };
    const member = `/members/${org.owner.id}/resend-invitation`;
    for (const request of [
      () => api.get('/members', org.asOwner),
      () => api.get('/settings/retention', org.asOwner),
      () => api.put('/settings/retention', { ...org.asOwner, body: { scans: 30 } }),
      () => api.get('/settings/security', org.asOwner),
      () => api.post('/members/invite', { ...org.asOwner, body }),
      () => api.post(member, org.asOwner),
    ]) {
      spy.mockResolvedValueOnce(checked);
      expect([String(request), (await request()).error]).toEqual([String(request), UNAVAILABLE]);
    }
    spy.mockRestore();
  });

  it('moves back, after its data was purged or not', async () => {
    await fill(one, org);
    for (const purged of [true, false]) {
      await move();
      await push(two.api, org, await createScan(two.api, org));
      if (purged) {
        const confirmed = (confirm?: string) =>
          purgeMoved({ source: sqlOf(one), log: one.services.log }, org.slug, confirm);
        await expect(confirmed()).rejects.toThrow(/--confirm/);
        const states = async () => (await admin(one.databaseUrl, ['orgs', 'moves'])).out;
        expect(await states()).toMatch(new RegExp(`${org.slug}.* moved +2`));
        expect(await confirmed(org.slug)).toMatchObject({ purged: true });
        expect(await states()).toMatch(new RegExp(`${org.slug}.* moved, purged +2`));
        expect(await confirmed(org.slug)).toMatchObject({ purged: false });
      }
      const rows = await rowsIn(two, org);
      await moveBetween(two, one, org, 'one');
      expect(await rowsIn(one, org)).toEqual(rows);
      expect((await get(one)).status).toBe(200);
      expect((await get(two)).error).toBe(UNAVAILABLE);
    }
  });

  it('names the members whose password or lock differs in the cell that it comes back to', async () => {
    const locked = await createUser(one.api);
    const same = await createUser(one.api);
    for (const { email } of [locked, same])
      must(await one.api.post('/members/invite', { ...org.asOwner, body: { email, role: 'member' } }));
    expect(await move()).toMatchObject({ members: 3, members_other_sign_in: [] });
    const { cookie } = await two.api.post('/auth/login', {
      body: { email: org.owner.email, password: PASSWORD },
    });
    const body = { current_password: PASSWORD, new_password: `${PASSWORD} and more` };
    must(await two.api.post('/auth/change-password', { cookie: String(cookie), body }));
    await admin(two.databaseUrl, ['users', 'disable', locked.email]);
    const back = await moveBetween(two, one, org, 'one');
    expect([...back.members_other_sign_in].sort()).toEqual([locked.email, org.owner.email].sort());
    const signIn = (password: string) =>
      one.api.post('/auth/login', { body: { email: org.owner.email, password } });
    expect([(await signIn(body.new_password)).status, (await signIn(PASSWORD)).status]).toEqual([401, 200]);
  });

  it('is announced by the command line of --on-served, whose failure is reported', async () => {
    for (const [hook, expected] of [
      ['test -n "$PATH"', 0],
      ['exit 3', 1],
    ] as const) {
      const moving = await createOrg(one.api);
      const args = ['orgs', 'move', moving.slug, '--to', 'two', '--on-served', hook];
      const env = { SVC_MOVE_TARGET_URL: two.databaseUrl };
      const { code, out } = await admin(one.databaseUrl, args, { env });
      expect(code).toBe(expected);
      expect(out.includes('the command of --on-served has failed')).toBe(expected === 1);
      expect(out).toMatch(
        new RegExp(`${moving.slug} is served by two\n(.|\n)*${moving.slug} has moved to two, with 1 member`),
      );
      await push(two.api, moving, await createScan(two.api, moving));
    }
  });

  it('counts a push once that is repeated with its idempotency key', async () => {
    const scan = await createScan(one.api, org);
    const call = {
      ...org.asAgent,
      headers: { 'idempotency-key': 'k' },
      body: { findings: [finding(org, scan)] },
    };
    must(await one.api.post('/agent/findings/batch', call));
    await move();
    must(await two.api.post('/agent/findings/batch', call));
    const [row] = await sqlOf(two).unsafe(`select sum(seen_count)::int as n from "${schema()}".findings`);
    expect(row?.n).toBe(1);
  });
});

describe('members', () => {
  it('who have verified their address in the other cell keep that account, and what names them follows', async () => {
    await fill(one, org);
    const { email } = org.owner;
    const twin = must(
      await two.api.post('/auth/register', {
        body: { email, password: PASSWORD, name: 'Ada' },
      }),
    ).user;
    for (const t of [one, two])
      await sqlOf(t).unsafe(`update shared.user_emails set verified_at = now() where email = '${email}'`);
    const token = must(
      await one.api.post('/profile/tokens', {
        ...org.asOwner,
        body: { name: 'CI', scopes: ['read'], org_id: org.id, expires_in: 5 },
      }),
    );
    const rows = await rowsIn(one, org);
    expect(JSON.stringify(rows)).toContain(org.owner.id);
    await move();
    const expected = JSON.parse(JSON.stringify(rows).replaceAll(org.owner.id, twin.id));
    expect(await rowsIn(two, org)).toEqual(expected);
    expect((await two.api.get('/findings', { token: token.token, org: org.slug })).status).toBe(200);
    const { cookie } = await two.api.post('/auth/login', {
      body: { email, password: PASSWORD },
    });
    expect((await two.api.get('/findings', { cookie, org: org.slug })).status).toBe(200);
  });

  it('whose address another account of the other cell has are left out if the operator wants that, but an owner remains', async () => {
    const member = await createUser(one.api, 'Grace Hopper');
    must(
      await one.api.post('/members/invite', {
        ...org.asOwner,
        body: { email: member.email, role: 'member' },
      }),
    );
    const body = (email: string) => ({ body: { email, password: PASSWORD, name: 'Mallory' } });
    must(await two.api.post('/auth/register', body(member.email)));
    await expect(move()).rejects.toThrow(`addresses of 1 members (${member.email})`);
    expect((await get(one)).status).toBe(200);
    expect(await moveBetween(one, two, org, 'two', undefined, { leaveOut: true })).toMatchObject({
      members: 1,
      members_left_out: [member.email],
    });
  });

  it('who are owners and all have such an address keep the organization from moving', async () => {
    must(
      await two.api.post('/auth/register', {
        body: { email: org.owner.email, password: PASSWORD, name: 'M' },
      }),
    );
    await expect(move()).rejects.toThrow(/addresses of all owners/);
    expect((await get(one)).status).toBe(200);
    await cancel();
    expect(await leftIn(one, org)).toEqual([schema()]);
  });
});
