import { describe, expect, it, vi } from 'vitest';
import { openDatabase } from '../../db/client.ts';
import { sqlState } from '../../db/errors.ts';
import { checksumsOf } from '../../db/moves/checksums.ts';
import { markVersion, pauseWrites, removePause, resumeWrites } from '../../db/moves/pause.ts';
import { atOneInstant } from '../../db/moves/snapshots.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { moveOrg } from '../../lib/admin/move/move.ts';
import { purgeOrgs } from '../../lib/maintenance/purge-orgs.ts';
import { fill } from '../support/admin/backup.ts';
import { inCells, leftIn, rowsIn, sqlOf, TABLES, UNAVAILABLE, useCells } from '../support/admin/cells.ts';
import { createOrg, createScan, finding, push, type TestOrg } from '../support/api/api.ts';
import { limit } from '../support/run/limits.ts';
import { afterTest } from '../support/run/suite.ts';
import type { TestApp } from '../support/server/app.ts';

/* What an organization that is being moved, and others, notice of it: the comparison of the copy and the pause of writes. */

let one: TestApp;
let two: TestApp;
let org: TestOrg;

const { schema, get, move, cancel } = useCells((made) => {
  ({ one, two, org } = made);
});

const own = () => ({ id: org.id, tables: TABLES });

/** Begins a move, and ends the command when all rows are copied. PostgreSQL goes on. */
async function copy(): Promise<void> {
  const progress = (line: string) => {
    if (line === 'all rows are copied') throw new Error(line);
  };
  const moving = inCells(one, two, (call) =>
    moveOrg({ ...call, progress }, org.slug, { to: 'two', maxPauseMs: 10_000 }),
  );
  await expect(moving).rejects.toThrow('all rows are copied');
}

/** Sessions of the first cell, besides those of its servers. */
function openSessions(max: number) {
  const sessions = openDatabase({ url: one.databaseUrl, max, statementMs: 0 });
  afterTest(() => sessions.close(0));
  return sessions;
}

/** Writes until the test ends. */
function goOn(write: (i: number) => Promise<unknown>): void {
  let isOver = false;
  const work = (async () => {
    for (let i = 0; !isOver; i++) await write(i);
  })();
  afterTest(async () => {
    isOver = true;
    await work;
  });
}

describe('the comparison', () => {
  it('is of the same writes in both databases, while servers write and policies change', async () => {
    await fill(one, org);
    const scan = await createScan(one.api, org);
    await copy();
    for (const name of ['a', 'b']) goOn((i) => push(one.api, org, scan, { fingerprint: `${name}-${i % 7}` }));
    goOn(async () => {
      await markVersion(sqlOf(one), org.id);
      await new Promise((later) => setTimeout(later, 30));
    });
    let compared = 0;
    for (let i = 0; i < 20; i++)
      await inCells(one, two, (call) =>
        atOneInstant(call, own(), {
          watch: async () => {},
          async use(here, there) {
            const [ours, theirs] = [await checksumsOf(here, own()), await checksumsOf(there, own())];
            expect(theirs).toEqual(ours);
            compared++;
          },
        }),
      );
    expect(compared).toBeGreaterThan(0);
    await cancel();
  });

  it('finds a row that differs, and nothing leaves', async () => {
    await fill(one, org);
    const rows = await rowsIn(one, org);
    await copy();
    const triggers = (what: string) =>
      sqlOf(two).unsafe(`alter table "${schema()}".findings ${what} trigger refuse_others`);
    await triggers('disable');
    await sqlOf(two).unsafe(
      `update "${schema()}".findings set title = 'other' where id = (select id from "${schema()}".findings limit 1)`,
    );
    await triggers('enable');
    await expect(move()).rejects.toThrow(/the copy differs in findings: cancel the move and begin anew/);
    expect((await get(one)).status).toBe(200);
    await cancel();
    expect(await move()).toMatchObject({ org: org.slug });
    expect(await rowsIn(two, org)).toEqual(rows);
  });

  it('is over before the pause', async () => {
    await fill(one, org);
    const texts: string[] = [];
    await inCells(one, two, (call) => moveOrg(call, org.slug, { to: 'two', maxPauseMs: 10_000 }), { texts });
    const pause = texts.findIndex((text) => text.includes('trigger "refuse_writes"'));
    expect(pause).toBeGreaterThan(0);
    expect(texts.findLastIndex((text) => text.includes('hashtextextended'))).toBeLessThan(pause);
  });

  it('stays true, because nobody else writes to the copy', async () => {
    await copy();
    for (const write of [
      `delete from $.findings`,
      `truncate $.sightings`,
      `update $.policy_versions set version = 0`,
    ])
      await expect(sqlOf(two).unsafe(write.replace('$', `"${schema()}"`))).rejects.toThrow(
        /only the subscription/,
      );
    await cancel();
  });
});

describe('another organization', () => {
  it('pushes while writes wait for the pause, and while they are refused', async () => {
    const other = await createOrg(one.api);
    const scans = [await createScan(one.api, org), await createScan(one.api, other)] as const;
    // A long write of the organization keeps the pause from beginning, and all others wait behind both.
    let end = () => {};
    const long = sqlOf(one).begin(async (tx) => {
      await tx.unsafe(`update "${schema()}".projects set name = name`);
      await new Promise<void>((resolve) => {
        end = resolve;
      });
    });
    const pausing = inCells(one, two, ({ source }) => pauseWrites(source, own(), 60_000));
    await vi.waitFor(async () => {
      const waiting = await sqlOf(one).unsafe(
        `select 1 from pg_locks where not granted and mode = 'ShareRowExclusiveLock'`,
      );
      expect(waiting).toHaveLength(1);
    });
    const write = (i: number) =>
      one.api.post('/agent/findings', {
        ...org.asAgent,
        body: finding(org, scans[0], { fingerprint: `w-${i}` }),
      });
    const waiting = Array.from({ length: 50 }, (_, i) => write(i));
    // They would wait for the long write.
    for (let i = 0; i < 10; i++) await push(one.api, other, scans[1]);
    end();
    await long;
    await pausing;
    const statuses = (await Promise.all(waiting)).map(({ status, error }) => error ?? status);
    expect(new Set(statuses)).toEqual(new Set([UNAVAILABLE]));
    const refused = Array.from({ length: 50 }, (_, i) => write(i));
    for (let i = 0; i < 10; i++) await push(one.api, other, scans[1]);
    for (const { error } of await Promise.all(refused)) expect(error).toBe(UNAVAILABLE);
    await resumeWrites(sqlOf(one), own());
    await push(one.api, org, scans[0]);
    expect(await removePause(sqlOf(one), own())).toBe(true);
    expect(await leftIn(one, org)).toEqual([schema()]);
  });

  it('is maintained during the pause', async () => {
    const other = await createOrg(one.api);
    const marked = `"${orgSchemaName(other.id)}".projects`;
    await sqlOf(one).unsafe(`update ${marked} set transfer = 'out'`);
    await inCells(one, two, ({ source }) => pauseWrites(source, own(), 60_000));
    await purgeOrgs(one.services);
    // A mark without a transfer, as after a restore from a backup.
    expect(await sqlOf(one).unsafe(`select from ${marked} where transfer is not null`)).toEqual([]);
    await resumeWrites(sqlOf(one), own());
  });
});

describe('exports that run all the time', () => {
  /** Reads all tables of the organization in transactions that overlap: at every moment, one of them is open. */
  async function readAllTheTime(): Promise<void> {
    const { sql } = openSessions(3);
    const read = async () => {
      const reading = sql.begin(async (tx) => {
        for (const table of TABLES) await tx.unsafe(`select 1 from "${schema()}"."${table}" limit 1`);
        await new Promise((later) => setTimeout(later, 3_000));
      });
      // The organization has left.
      await reading.catch((error) => expect(sqlState(error)).toBe('42P01'));
    };
    for (let i = 0; i < 3; i++) {
      goOn(read);
      await new Promise((later) => setTimeout(later, 1_000));
    }
  }

  it('do not keep an organization from taking writes again, and no read waits for that', async () => {
    const scan = await createScan(one.api, org);
    await readAllTheTime();
    await inCells(one, two, ({ source }) => pauseWrites(source, own(), 60_000));
    const refused = await one.api.post('/agent/findings', { ...org.asAgent, body: finding(org, scan) });
    expect(refused.error).toBe(UNAVAILABLE);
    const began = performance.now();
    const resuming = inCells(one, two, ({ source }) => resumeWrites(source, own()));
    let slowest = 0;
    for (let i = 0; i < 20; i++) {
      const asked = performance.now();
      expect((await get(one, '/findings')).status).toBe(200);
      slowest = Math.max(slowest, performance.now() - asked);
    }
    await resuming;
    expect(performance.now() - began).toBeLessThan(limit(1_000));
    expect(slowest).toBeLessThan(limit(250));
    await push(one.api, org, scan);
    // The next pause uses the same triggers.
    await inCells(one, two, ({ source }) => pauseWrites(source, own(), 60_000));
    const again = await one.api.post('/agent/findings', { ...org.asAgent, body: finding(org, scan) });
    expect(again.error).toBe(UNAVAILABLE);
    await inCells(one, two, ({ source }) => resumeWrites(source, own()));
    await push(one.api, org, scan);
  });

  it('do not keep a move from ending or from being cancelled', async () => {
    const scan = await createScan(one.api, org);
    await copy();
    await inCells(one, two, ({ source }) => pauseWrites(source, own(), 60_000));
    await readAllTheTime();
    await expect(cancel()).rejects.toThrow(/takes changes again.*repeat the command later/);
    await push(one.api, org, scan);
    // The slot would keep the write-ahead log.
    expect(await leftIn(one, org)).toEqual(expect.not.arrayContaining(['slot', 'publication']));
    expect(await leftIn(two, org)).toEqual([]);
    expect(await move()).toMatchObject({ org: org.slug });
    expect((await get(two)).status).toBe(401);
  });

  it('leave nothing of a cancelled move, once they have ended', async () => {
    await copy();
    await inCells(one, two, ({ source }) => pauseWrites(source, own(), 60_000));
    const reader = openSessions(1).sql.begin(async (tx) => {
      await tx.unsafe(`select 1 from "${schema()}".findings`);
      await new Promise((later) => setTimeout(later, 1_000));
    });
    await cancel();
    await reader;
    expect(await leftIn(one, org)).toEqual([schema()]);
  });
});
