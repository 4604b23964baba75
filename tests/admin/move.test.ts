import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { takeOut } from '../../db/moves/leave.ts';
import { pauseWrites } from '../../db/moves/pause.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { cancelMove, purgeMoved } from '../../lib/admin/move/manage.ts';
import { moveOrg } from '../../lib/admin/move/move.ts';
import { fill, rowsOf, sharedRowsOf } from '../support/admin/backup.ts';
import { type Cells, type Death, Died, inCells, startCells, TABLES } from '../support/admin/cells.ts';
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

/* Organizations that move to the database of another cell. */

let cells: Cells;
let one: TestApp;
let two: TestApp;
let org: TestOrg;

beforeAll(async () => {
  cells = await startCells();
  ({ one, two } = cells);
});

beforeEach(async () => {
  org = await createOrg(one.api);
});

const move = (from = one, to = two, death?: Death) =>
  inCells(from, to, (call) => moveOrg(call, org.slug, { to: 'two', maxPauseMs: 10_000 }), death && { death });
const cancel = () => inCells(one, two, (call) => cancelMove(call, org.slug));
const sqlOf = (t: TestApp) => t.services.database.sql;
const get = (t: TestApp, path = '/projects', of = org) => t.api.get(path, of.asOwner);
const UNAVAILABLE = 'server_error/unavailable';

/** All rows of its tables, without what a move changes. */
async function rowsIn(t: TestApp): Promise<Record<string, string[]>> {
  const { policy_versions: _, ...rows } = await rowsOf(t.services.database, org);
  return rows;
}

/** What a move has left in a cell. */
async function leftIn(t: TestApp): Promise<string[]> {
  const rows = await sqlOf(t).unsafe<{ left: string }[]>(`
    select nspname::text as left from pg_namespace where nspname ~ '${org.id.replaceAll('-', '')}'
    union all select 'publication' from pg_publication
    union all select 'slot' from pg_replication_slots where database = current_database()
    union all select 'subscription' from pg_subscription where subdbid = (select oid from pg_database where datname = current_database())
    union all select 'arrival' from shared.org_arrivals
    union all select 'move' from shared.org_moves where org_id = '${org.id}'
    union all select 'trigger' from pg_trigger where not tgisinternal and tgrelid in (
      select oid from pg_class where relnamespace = (select oid from pg_namespace where nspname = '${schema()}'))
    order by 1`);
  return rows.map(({ left }) => left);
}
const schema = () => orgSchemaName(org.id);

describe('an organization that has moved', () => {
  it('has all of its rows, its members and tokens in the other cell', async () => {
    await fill(one, org);
    const rows = await rowsIn(one);
    const shared = await sharedRowsOf(one.services.database, org);
    const list = must(await get(one, '/findings'));
    expect(await move()).toMatchObject({ org: org.slug, members: 2, members_left_out: [] });
    expect(await rowsIn(two)).toEqual(rows);
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
    expect(await leftIn(two)).toEqual([schema()]);
    expect(await leftIn(one)).toEqual(['move', `moved_${org.id.replaceAll('-', '')}`]);
  });

  it('is not served by the cell that it has left, by any of its addresses and whatever a process remembers', async () => {
    const { slug } = org;
    await admin(one.databaseUrl, ['orgs', 'rename', slug, '--slug', `${slug}-new`]);
    await admin(one.databaseUrl, ['domains', 'set', `${slug}-new`, `${slug}.example.org`]);
    const scan = await createScan(one.api, org);
    await push(one.api, org, scan);
    const cold = await startApp({ databaseUrl: one.databaseUrl });
    await inCells(one, two, (call) => moveOrg(call, `${slug}-new`, { to: 'two', maxPauseMs: 10_000 }));
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

  it('moves back, after its data was purged or not', async () => {
    await fill(one, org);
    for (const purged of [true, false]) {
      await move();
      await push(two.api, org, await createScan(two.api, org));
      if (purged) {
        const confirmed = (confirm?: string) =>
          purgeMoved({ source: sqlOf(one), log: one.services.log }, org.slug, confirm);
        await expect(confirmed()).rejects.toThrow(/--confirm/);
        expect(await confirmed(org.slug)).toMatchObject({ purged: true });
        expect(await confirmed(org.slug)).toMatchObject({ purged: false });
      }
      const rows = await rowsIn(two);
      await inCells(two, one, (call) => moveOrg(call, org.slug, { to: 'one', maxPauseMs: 10_000 }));
      expect(await rowsIn(one)).toEqual(rows);
      expect((await get(one)).status).toBe(200);
      expect((await get(two)).error).toBe(UNAVAILABLE);
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
    await sqlOf(two).unsafe(`update shared.user_emails set verified_at = now() where email = '${email}'`);
    const token = must(
      await one.api.post('/profile/tokens', {
        ...org.asOwner,
        body: { name: 'CI', scopes: ['read'], org_id: org.id, expires_in: 5 },
      }),
    );
    const rows = await rowsIn(one);
    expect(JSON.stringify(rows)).toContain(org.owner.id);
    await move();
    const expected = JSON.parse(JSON.stringify(rows).replaceAll(org.owner.id, twin.id));
    expect(await rowsIn(two)).toEqual(expected);
    expect((await two.api.get('/findings', { token: token.token, org: org.slug })).status).toBe(200);
    const { cookie } = await two.api.post('/auth/login', {
      body: { email, password: PASSWORD },
    });
    expect((await two.api.get('/findings', { cookie, org: org.slug })).status).toBe(200);
  });

  it('whose address another account of the other cell has are left out, but an owner remains', async () => {
    const member = await createUser(one.api, 'Grace Hopper');
    must(
      await one.api.post('/members/invite', {
        ...org.asOwner,
        body: { email: member.email, role: 'member' },
      }),
    );
    const body = (email: string) => ({ body: { email, password: PASSWORD, name: 'Mallory' } });
    must(await two.api.post('/auth/register', body(member.email)));
    expect(await move()).toMatchObject({ members: 1, members_left_out: [member.email] });
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
    expect(await leftIn(one)).toEqual([schema()]);
  });
});

describe('during a move', () => {
  it('no push is lost or counted twice, reads go on, and others notice nothing', async () => {
    const other = await createOrg(one.api);
    const scans = { [org.id]: await createScan(one.api, org), [other.id]: await createScan(one.api, other) };
    let moving = true;
    const accepted: string[] = [];
    const refused: string[] = [];
    let othersPushes = 0;
    const agent = async (name: string) => {
      for (let i = 0; moving; i++) {
        const fingerprint = `${name}-${i}`;
        for (let t = one; ; ) {
          const call = { ...org.asAgent, body: finding(org, scans[org.id] as string, { fingerprint }) };
          const { status, error } = await t.api.post('/agent/findings', call);
          if (status === 201) break;
          refused.push(String(error));
          // The proxy follows when the other cell serves the organization.
          expect(error).toBe(t === one ? UNAVAILABLE : 'tenant_error/not_found');
          t = (await get(one)).error === UNAVAILABLE ? two : one;
          await new Promise((later) => setTimeout(later, 20));
        }
        accepted.push(fingerprint);
      }
    };
    const reader = async () => {
      while (moving) {
        const { status, error } = await get(one, '/findings?page=1');
        if (status !== 200) expect(error).toBe(UNAVAILABLE);
        await push(one.api, other, scans[other.id] as string, { fingerprint: `o-${othersPushes++}` });
      }
    };
    const work = [agent('a'), agent('b'), agent('c'), reader()];
    const { pause_ms } = await move().finally(() => {
      moving = false;
    });
    await Promise.all(work);
    expect({ refused: refused.length > 0, pause: Number(pause_ms) < 30_000 }).toEqual({
      refused: true,
      pause: true,
    });
    const rows = await sqlOf(two).unsafe<{ fingerprint: string; seen_count: number }[]>(
      `select fingerprint, seen_count from "${schema()}".findings`,
    );
    expect(rows.map(({ fingerprint }) => fingerprint).toSorted()).toEqual(accepted.toSorted());
    await expectKeptCounts(two.services.database, org);
  });

  it('writes are refused for a limited time, even if the command dies, and reads go on', async () => {
    const scan = await createScan(one.api, org);
    await pauseWrites(sqlOf(one), { id: org.id, tables: TABLES }, 3_000);
    const writes = [
      await one.api.post('/agent/findings', { ...org.asAgent, body: finding(org, scan) }),
      await one.api.post('/projects', { ...org.asOwner, body: { name: 'New' } }),
    ];
    for (const { error, headers } of writes) {
      expect(error).toBe(UNAVAILABLE);
      expect(headers.get('retry-after')).toBe('1');
    }
    expect((await get(one, '/findings')).status).toBe(200);
    expect((await one.api.get(`/agent/scans/${scan}`, org.asAgent)).status).not.toBe(500);
    await vi.waitFor(() => push(one.api, org, scan), 10_000);
  });

  it('an organization does not leave after its pause has ended', async () => {
    const own = { id: org.id, tables: TABLES };
    const { until } = await pauseWrites(sqlOf(one), own, 1);
    const options = { cell: 'two', slug: org.slug, version: one.services.orgMigrations.length, until };
    expect(await takeOut(sqlOf(one), own, options)).toBe('late');
    expect((await get(one)).status).toBe(200);
  });

  it('another process cannot move or cancel it', async () => {
    const first = move();
    await vi.waitFor(async () => expect(await leftIn(one)).toContain('move'), 10_000);
    await expect(move()).rejects.toThrow(/another process is moving/);
    await expect(cancel()).rejects.toThrow(/another process is moving/);
    await first;
    await expect(move()).rejects.toThrow(/has moved to two already/);
    await expect(cancel()).rejects.toThrow(/has left this cell/);
  });
});

describe('a move that cannot be', () => {
  it('of a deleted organization, to a taken slug or a database of another version', async () => {
    const other = await createOrg(two.api);
    await admin(two.databaseUrl, ['orgs', 'rename', other.slug, '--slug', org.slug]);
    await expect(move()).rejects.toThrow(/slug taken/);
    await cancel();
    await admin(two.databaseUrl, ['orgs', 'rename', org.slug, '--slug', `${org.slug}-x`]);
    await expect(move()).rejects.toThrow(/slug reserved/);
    await cancel();
    await sqlOf(two).unsafe(`update shared.migrations set hash = 'x' || hash where name like '0000%'`);
    await expect(move()).rejects.toThrow(/different versions/);
    await sqlOf(two).unsafe(`update shared.migrations set hash = substr(hash, 2) where name like '0000%'`);
    await admin(one.databaseUrl, ['orgs', 'delete', org.slug, '--confirm', org.slug]);
    await expect(move()).rejects.toThrow(/is deleted/);
  });

  it('to a cell that cannot reach this one fails, goes on with another address, and shows no password', async () => {
    const wrong = new URL(one.databaseUrl);
    wrong.password = 'hunter2';
    const moving = inCells(one, two, (call) =>
      moveOrg({ ...call, sourceUrl: wrong.href }, org.slug, { to: 'two', maxPauseMs: 10_000 }),
    );
    const error = await moving.catch((error: unknown) => error);
    expect(String(error)).not.toContain('hunter2');
    expect((await get(one)).status).toBe(200);
    await move();
    expect((await get(one)).error).toBe(UNAVAILABLE);
  });

  it('by a command line that is wrong', async () => {
    for (const args of [[], ['--to', "x'; drop"], ['--to', 'two', '--max-pause', '0'], ['--to', 'two']]) {
      const { code, err } = await admin(one.databaseUrl, ['orgs', 'move', org.slug, ...args]);
      expect(code).toBeGreaterThan(0);
      expect(err.trim().split('\n')).toHaveLength(1);
    }
  });
});

describe('a process that dies', () => {
  it('before any statement leaves the organization in one cell, and a repeated command completes the move', async () => {
    await fill(one, org);
    const rows = await rowsIn(one);
    for (let before = 1; ; before++) {
      const moved = await move(one, two, { before, statements: 0 }).catch((error: unknown) => error);
      const served = [await get(one), await get(two)].filter(({ status }) => status === 200);
      if (!(moved instanceof Died)) {
        expect(moved).toMatchObject({ org: org.slug });
        expect(before).toBeGreaterThan(50);
        break;
      }
      expect(served.length, `before ${before}`).toBeLessThanOrEqual(1);
    }
    expect(await rowsIn(two)).toEqual(rows);
  });

  it('can be cancelled before the organization has left, which leaves nothing', async () => {
    await fill(one, org);
    const rows = await rowsIn(one);
    // A prime, so that runs of this test meet different statements.
    for (let before = 11; ; before += 13) {
      const moved = await move(one, two, { before, statements: 0 }).catch((error: unknown) => error);
      if (!(moved instanceof Died)) break;
      const cancelled = await cancel().catch((error: Error) => error.message);
      if (typeof cancelled === 'string') {
        expect(cancelled).toMatch(/has left this cell|is being moved or has moved/);
        if (/has left/.test(cancelled)) break;
      }
      expect(await leftIn(one), `before ${before}`).toEqual([schema()]);
      expect(await leftIn(two)).toEqual([]);
      expect(await rowsIn(one)).toEqual(rows);
      await push(one.api, org, rows.scans?.map((row) => JSON.parse(row).scan_id)[0], {
        title: 'Finding 0',
        fingerprint: 'seen twice',
      });
      Object.assign(rows, await rowsIn(one));
    }
  });
});
