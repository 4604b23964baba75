import { describe, expect, it, vi } from 'vitest';
import { takeOut } from '../../db/moves/leave.ts';
import { pauseWrites } from '../../db/moves/pause.ts';
import type { Sql } from '../../db/pool/query.ts';
import { moveOrg } from '../../lib/admin/move/move.ts';
import { fill } from '../support/admin/backup.ts';
import {
  Died,
  inCells,
  leftIn,
  moveBetween,
  rowsIn,
  sqlOf,
  TABLES,
  UNAVAILABLE,
  useCells,
} from '../support/admin/cells.ts';
import { admin } from '../support/admin/command.ts';
import { createOrg, createScan, finding, push, type TestOrg } from '../support/api/api.ts';
import { expectKeptCounts } from '../support/database/counts.ts';
import type { TestApp } from '../support/server/app.ts';

/* Moves of organizations to another cell while they are used, that are refused, and whose process dies. */

let one: TestApp;
let two: TestApp;
let org: TestOrg;
let superuser: Sql;

const { schema, get, move, cancel } = useCells((made) => {
  ({ one, two, org, superuser } = made);
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
    const [{ pause_ms }] = await Promise.all([
      move().finally(() => {
        moving = false;
      }),
      ...[agent('a'), agent('b'), agent('c'), reader()],
    ]);
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
    const version = one.services.orgMigrations.length;
    const options = { cell: 'two', slug: org.slug, version, until, areMatched: () => true };
    expect(await takeOut(sqlOf(one), own, options)).toBe('late');
    expect((await get(one)).status).toBe(200);
  });

  it('another process cannot move or cancel it', async () => {
    const first = move();
    await vi.waitFor(async () => expect(await leftIn(one, org)).toContain('move'), 10_000);
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
    await admin(two.databaseUrl, ['orgs', 'rename', org.slug, '--slug', `${org.slug}-x`]);
    await expect(move()).rejects.toThrow(/slug reserved/);
    await expect(moveBetween(one, one, org)).rejects.toThrow(/is the database of a cell that has/);
    // Nothing was begun.
    expect(await leftIn(one, org)).toEqual([schema()]);
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
    expect(String(error)).toMatch(/cannot connect to this one: .*SVC_MOVE_SOURCE_URL/);
    expect(String(error)).not.toContain('hunter2');
    expect((await get(one)).status).toBe(200);
    await move();
    expect((await get(one)).error).toBe(UNAVAILABLE);
  });

  it('without the rights of the documentation names the one that is missing', async () => {
    await superuser.unsafe('alter role one noreplication');
    await expect(move()).rejects.toThrow(/role here needs the attribute REPLICATION/);
    await superuser.unsafe('alter role one replication; revoke pg_create_subscription from two');
    await expect(move()).rejects.toThrow(/needs the role pg_create_subscription/);
    await superuser.unsafe('grant pg_create_subscription to two');
    expect(await leftIn(one, org)).toEqual([schema()]);
  });

  it('by a command line that is wrong', async () => {
    for (const args of [[], ['--to', "x'; drop"], ['--to', 'two', '--max-pause', '0'], ['--to', 'two']]) {
      const { code, err } = await admin(one.databaseUrl, ['orgs', 'move', org.slug, ...args]);
      expect(code).toBeGreaterThan(0);
      expect(err.trim().split('\n')).toHaveLength(1);
    }
  });
});

describe('a role for replication only', () => {
  it('copies the rows, so that the other cell never has the password of this one', async () => {
    await fill(one, org);
    const rows = await rowsIn(one, org);
    await superuser.unsafe(
      `create role mover login replication password 'm' in role pg_read_all_data role one`,
    );
    const sourceUrl = Object.assign(new URL(one.databaseUrl), { username: 'mover', password: 'm' }).href;
    const moving = (progress = (_: string) => {}) =>
      inCells(one, two, (call) =>
        moveOrg({ ...call, sourceUrl, progress }, org.slug, { to: 'two', maxPauseMs: 10_000 }),
      );
    const stop = (line: string) => {
      if (line === 'all rows are copied') throw new Error(line);
    };
    await expect(moving(stop)).rejects.toThrow('all rows are copied');
    await cancel();
    expect(await leftIn(one, org)).toEqual([schema()]);
    await moving();
    expect(await rowsIn(two, org)).toEqual(rows);
    await superuser.unsafe('drop role mover');
  });
});

describe('a process that dies', () => {
  it('before any statement leaves the organization in one cell, and a repeated command completes the move', async () => {
    await fill(one, org);
    const rows = await rowsIn(one, org);
    for (let before = 1; ; before++) {
      const moved = await move({ before, statements: 0 }).catch((error: unknown) => error);
      const served = [await get(one), await get(two)].filter(({ status }) => status === 200);
      if (!(moved instanceof Died)) {
        expect(moved).toMatchObject({ org: org.slug });
        expect(before).toBeGreaterThan(50);
        break;
      }
      expect(served.length, `before ${before}`).toBeLessThanOrEqual(1);
    }
    expect(await rowsIn(two, org)).toEqual(rows);
  });

  it('can be cancelled before the organization has left, which leaves nothing', async () => {
    await fill(one, org);
    const rows = await rowsIn(one, org);
    // A prime, so that runs of this test meet different statements.
    for (let before = 11; ; before += 13) {
      const moved = await move({ before, statements: 0 }).catch((error: unknown) => error);
      if (!(moved instanceof Died)) break;
      // PostgreSQL notices a moment later that the process is gone, and gives its lock free.
      const cancelled = await vi.waitFor(async () => {
        const result = await cancel().catch((error: Error) => error.message);
        expect(result).not.toMatch(/another process is moving/);
        return result;
      });
      if (typeof cancelled === 'string') {
        expect(cancelled).toMatch(/has left this cell|is being moved or has moved/);
        if (/has left/.test(cancelled)) break;
      }
      expect(await leftIn(one, org), `before ${before}`).toEqual([schema()]);
      expect(await leftIn(two, org)).toEqual([]);
      expect(await rowsIn(one, org)).toEqual(rows);
      await push(one.api, org, rows.scans?.map((row) => JSON.parse(row).scan_id)[0], {
        title: 'Finding 0',
        fingerprint: 'seen twice',
      });
      Object.assign(rows, await rowsIn(one, org));
    }
  });
});
