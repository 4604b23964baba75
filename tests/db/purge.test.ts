import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BATCH_ROWS } from '../../db/batches.ts';
import { openDatabase } from '../../db/client.ts';
import type { Sql } from '../../db/pool/query.ts';
import { endSessions } from '../../lib/admin/users/change.ts';
import { purgeExpired } from '../../lib/maintenance/purge.ts';
import {
  createOrg,
  createScan,
  createUser,
  must,
  PASSWORD,
  push,
  type TestUser,
} from '../support/api/api.ts';
import { holdOpen } from '../support/database/hold.ts';
import { afterTest } from '../support/run/suite.ts';
import { startApp, type TestApp } from '../support/server/app.ts';
import { silentLog } from '../support/server/log.ts';

/*
 * Clean-ups of many rows work in batches: what they lock is locked shortly, and what others have locked does not stop them.
 */

let t: TestApp;
let sql: Sql;
let db: TestApp['services']['database']['db'];

const ROWS = 40_000;
const LIVE_ROWS = 15_000;
const PURGED = [
  'sessions',
  'mailed_tokens',
  'email_codes',
  'mfa_logins',
  'primary_email_changes',
  'rate_limits',
];

beforeAll(async () => {
  t = await startApp();
  ({ sql, db } = t.services.database);
  // Writes down how many rows each transaction changes.
  await sql.unsafe('create table public.changes (tx bigint, rows int)').simple();
  await sql
    .unsafe(`create function public.note() returns trigger language plpgsql as $$
      begin insert into public.changes select txid_current(), count(*) from old_rows; return null; end $$`)
    .simple();
  for (const [what, tables] of [
    ['delete', PURGED],
    ['update', ['sessions']],
  ] as const)
    for (const table of tables)
      await sql.unsafe(`create trigger note_${what} after ${what} on shared.${table}
        referencing old table as old_rows for each statement execute function public.note()`);
});

beforeEach(async () => {
  await sql.unsafe('truncate public.changes');
});

/** Rows per transaction that changed any. */
async function changes(): Promise<number[]> {
  const rows = await sql.unsafe<{ rows: number }[]>(
    'select sum(rows)::int as rows from public.changes group by tx having sum(rows) > 0',
  );
  return rows.map(({ rows }) => rows);
}

/** Gives a user sessions. @param expires in SQL */
const addSessions = (user: TestUser, count: number, expires: string) =>
  sql.unsafe(
    `insert into shared.sessions (id, user_id, ip_address, user_agent, browser, os, device_type, created_at,
       last_active_at, expires_at)
     select gen_random_uuid(), $1::uuid, '', '', '', '', 'desktop', ${expires} - interval '1 day', ${expires}, ${expires}
     from generate_series(1, $2::int)`,
    [user.id, count],
  );

const OLD = "now() - interval '2 days'";
const expiredSessions = async () => {
  const [row] = await sql.unsafe<{ n: number }[]>(
    `select count(*)::int as n from shared.sessions where expires_at <= ${OLD}`,
  );
  return row?.n;
};

const login = (user: TestUser) =>
  t.api.post('/auth/login', { body: { email: user.email, password: PASSWORD } });

/** Locks a session of the user, as a request does that is slow to commit. @returns releases it */
async function lockSession({ id }: TestUser): Promise<() => Promise<void>> {
  const locker = openDatabase({ url: t.databaseUrl, max: 1 });
  afterTest(() => locker.close());
  const lock = 'select from shared.sessions where user_id = $1 order by expires_at limit 1 for update';
  return await holdOpen(locker.sql, (tx) => tx.unsafe(lock, [id]));
}

/** How many wait for a lock now; on the end of a file, which is held for microseconds, does not count. */
async function lockWaits(sql: Sql): Promise<number> {
  const [row] = await sql.unsafe<{ n: number }[]>(
    `select count(*)::int as n from pg_locks where not granted and locktype <> 'extend'
       and pid in (select pid from pg_stat_activity where datname = current_database())`,
  );
  return row?.n ?? 0;
}

/** Counts how often anything waits for a lock, until it is stopped. */
function watchLocks(): () => Promise<{ looks: number; waits: number }> {
  const watcher = openDatabase({ url: t.databaseUrl, max: 1 });
  const seen = { looks: 0, waits: 0 };
  let stopped = false;
  const watching = (async () => {
    while (!stopped) {
      seen.waits += await lockWaits(watcher.sql);
      seen.looks++;
    }
  })();
  return async () => {
    stopped = true;
    await watching;
    await watcher.close();
    return seen;
  };
}

describe('a purge of 40,000 expired sessions', () => {
  it('works in transactions of a bounded number of rows, beside which logins and pushes wait for no lock', async () => {
    const user = await createUser(t.api);
    const org = await createOrg(t.api);
    const scan = await createScan(t.api, org);
    await addSessions(user, 2 * BATCH_ROWS, OLD);
    await addSessions(org.owner, ROWS - 2 * BATCH_ROWS, OLD);
    await sql.unsafe('truncate public.changes');
    const stop = watchLocks();
    let purged = false;
    const purging = purgeExpired(db, new Date()).finally(() => {
      purged = true;
    });
    let during = 0;
    do {
      // The first login ends the oldest sessions of the account: those that are being purged.
      must(await login(user));
      await push(t.api, org, scan);
      during++;
    } while (!purged);
    await purging;
    const { looks, waits } = await stop();
    expect([during > 1, looks > 10, waits]).toEqual([true, true, 0]);
    expect(await expiredSessions()).toBe(0);
    const counts = await changes();
    expect(Math.max(...counts)).toBeLessThanOrEqual(BATCH_ROWS);
    expect(counts.filter((rows) => rows === BATCH_ROWS).length).toBeGreaterThan(1);
  });

  it('leaves a row that is locked to the next time', async () => {
    const user = await createUser(t.api);
    await addSessions(user, 10, OLD);
    const unlock = await lockSession(user);
    await purgeExpired(db, new Date());
    const left = await expiredSessions();
    await unlock();
    await purgeExpired(db, new Date());
    expect([left, await expiredSessions()]).toEqual([1, 0]);
  });

  it('may run twice at the same time', async () => {
    const user = await createUser(t.api);
    await addSessions(user, 4 * BATCH_ROWS, OLD);
    const other = openDatabase({ url: t.databaseUrl, max: 1 });
    afterTest(() => other.close());
    const stop = watchLocks();
    await Promise.all([purgeExpired(db, new Date()), purgeExpired(other.db, new Date())]);
    expect([await expiredSessions(), (await stop()).waits]).toEqual([0, 0]);
    expect((await changes()).reduce((a, b) => a + b)).toBe(4 * BATCH_ROWS);
  });

  it('goes on where an interrupted one has stopped', async () => {
    const user = await createUser(t.api);
    await addSessions(user, 3 * BATCH_ROWS, OLD);
    // The third batch fails, as by a lost connection.
    let batches = 0;
    const failing = new Proxy(db, {
      get(target, name) {
        if (name === 'delete' && ++batches === 3) throw new Error('lost');
        return Reflect.get(target, name);
      },
    });
    await expect(purgeExpired(failing, new Date())).rejects.toThrow('lost');
    expect(await expiredSessions()).toBe(BATCH_ROWS);
    await purgeExpired(db, new Date());
    expect(await expiredSessions()).toBe(0);
  });
});

describe('ending all of 15,000 sessions of an account', () => {
  const live = async ({ id }: TestUser) => {
    const [row] = await sql.unsafe<{ n: number }[]>(
      'select count(*)::int as n from shared.sessions where user_id = $1 and revoked_at is null',
      [id],
    );
    return row?.n;
  };

  it.each<[string, (user: TestUser) => Promise<unknown>, number]>([
    ['by the operator', (user) => endSessions(t.services.database, silentLog, user.id), 0],
    ['all others, by the user', (user) => t.api.delete('/profile/sessions', { cookie: user.cookie }), 1],
    ['beyond the quota, by the next sign-in', login, 100],
  ])('%s works in transactions of a bounded number of rows', async (_, end, left) => {
    const user = await createUser(t.api);
    await addSessions(user, LIVE_ROWS, "now() + interval '1 hour'");
    await sql.unsafe('truncate public.changes');
    await end(user);
    expect(await live(user)).toBe(left);
    const counts = await changes();
    expect(Math.max(...counts)).toBeLessThanOrEqual(BATCH_ROWS);
    expect(counts.length).toBeGreaterThanOrEqual(LIVE_ROWS / BATCH_ROWS);
    await sql.unsafe('delete from shared.sessions where user_id = $1', [user.id]);
  });

  it('twice at the same time ends each once, and no deadlock', async () => {
    const user = await createUser(t.api);
    await addSessions(user, 4 * BATCH_ROWS, "now() + interval '1 hour'");
    const ends = Array.from({ length: 3 }, () => endSessions(t.services.database, silentLog, user.id));
    const ended = (await Promise.all(ends)).reduce((sum, { sessions_ended }) => sum + sessions_ended, 0);
    expect([ended, await live(user)]).toEqual([4 * BATCH_ROWS + 1, 0]);
  });

  it('waits for a session that is in use, and misses none', async () => {
    const user = await createUser(t.api);
    const unlock = await lockSession(user);
    const ending = endSessions(t.services.database, silentLog, user.id);
    await expect.poll(() => lockWaits(sql)).toBe(1);
    expect((await login(await createUser(t.api))).status).toBe(200);
    await unlock();
    expect([(await ending).sessions_ended, await live(user)]).toEqual([1, 0]);
  });
});
