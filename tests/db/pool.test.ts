import net from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Database, openDatabase } from '../../db/client.ts';
import { sqlState } from '../../db/errors.ts';
import { readRows } from '../../db/stream.ts';
import { createDatabase, type TestDatabase } from '../support/database/database.ts';
import { type DatabaseProxy, startProxy } from '../support/database/proxy.ts';
import { limit } from '../support/run/limits.ts';

let testDatabase: TestDatabase;
let admin: Database;

beforeAll(async () => {
  testDatabase = await createDatabase();
  admin = openDatabase({ url: testDatabase.url, max: 1 });
});
afterAll(async () => {
  await admin.close();
  await testDatabase.drop();
});

const pause = (ms: number) => new Promise((over) => setTimeout(over, ms));

describe('a query', () => {
  it('gets its own rows only, also after one that broke off after some rows', async () => {
    const { sql, withConnection, close } = openDatabase({ url: testDatabase.url, max: 1 });
    for (const query of [sql.unsafe.bind(sql), (text: string) => withConnection((own) => own.unsafe(text))]) {
      await expect(query('select 1 / (3 - n) from generate_series(1, 5) n')).rejects.toThrow(
        'division by zero',
      );
      expect([...(await query('select 1 as one'))]).toEqual([{ one: 1 }]);
    }
    await close();
  });
});

describe('a client of a connection', () => {
  it('is refused once the connection was released, so that it cannot end the transaction of the next user', async () => {
    const pool = openDatabase({ url: testDatabase.url, max: 1 });
    const kept = await pool.withConnection(async (own) => own);
    await pool.sql.unsafe('create table kept_client (n int)');
    const next = pool.sql.begin(async (tx) => {
      await tx.unsafe('insert into kept_client values (1)');
      await expect(kept.unsafe('select 1')).rejects.toThrow('the connection was released');
      await expect(kept.begin((own) => own.unsafe('select 1'))).rejects.toThrow(
        'the connection was released',
      );
      throw new Error('rolled back');
    });
    await expect(next).rejects.toThrow('rolled back');
    expect([...(await pool.sql.unsafe('select n from kept_client'))]).toEqual([]);
    await pool.close();
  });
});

it('an account has its share of the connections, even after one of its organizations was used without it', async () => {
  const pool = openDatabase({ url: testDatabase.url, max: 4 });
  const orgs = [{ id: 'one' }, { id: 'one', account: 'a' }, { id: 'two', account: 'a' }];
  const [_, ...ofAccount] = orgs.map((org) => pool.of(org).sql);
  const running = [...ofAccount, ...ofAccount].map((sql) => sql.unsafe('select 1').execute());
  expect(pool.pool().waiting).toBe(2);
  await Promise.all(running);
  await pool.close();
});

describe('connections that are lost', () => {
  let proxy: DatabaseProxy;
  beforeAll(async () => {
    proxy = await startProxy(testDatabase.url);
  });
  afterAll(() => proxy.close());

  const ends = {
    'PostgreSQL ends them': async () => {
      await admin.sql.unsafe(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'doomed'",
      );
    },
    'the network resets them': async () => proxy.reset(),
  };

  it.each([
    ['PostgreSQL ends them', 20],
    ['PostgreSQL ends them', 3],
    ['the network resets them', 20],
    ['the network resets them', 3],
  ] as const)('because %s fail what was under way, and nothing else: %i at a time', async (how, atOnce) => {
    const url = how === 'the network resets them' ? proxy.url : testDatabase.url;
    const pool = openDatabase({ url, max: 4, applicationName: 'doomed' });
    let over = false;
    let answered = 0;
    const failures = new Set<string | undefined>();
    const querying = Array.from({ length: atOnce }, async (_, n) => {
      while (!over) {
        // Queries come at any moment of a turn of the event loop.
        if (n % 2) await new Promise((turn) => setImmediate(turn));
        if (n % 4 === 3) await pause(Math.random() * 4);
        try {
          expect([...(await pool.sql.unsafe('select $1::int as n', [n]))]).toEqual([{ n }]);
          answered++;
        } catch (error) {
          if (sqlState(error) === undefined) throw error;
          failures.add(sqlState(error));
        }
      }
    });
    for (let round = 0; round < 30; round++) {
      await pause(10 + Math.random() * 30);
      await ends[how]();
    }
    const before = answered;
    while (answered < before + 100) await pause(1);
    over = true;
    await Promise.all(querying);
    await pool.close();
    expect(failures.size).toBeGreaterThan(0);
    // CONNECT_TIMEOUT would be a place of the pool that says nothing any more.
    expect([...failures].filter((code) => !LOST.has(`${code}`))).toEqual([]);
  });
});

/** The error codes of queries whose connection is lost. */
const LOST = new Set(['57P01', 'CONNECTION_CLOSED', 'ECONNRESET', 'EPIPE', 'DATABASE_DOWN']);

/** The error that a promise is rejected with, and after how many milliseconds. */
async function failure(promise: PromiseLike<unknown>): Promise<{ code: string | undefined; ms: number }> {
  const began = performance.now();
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { code: sqlState(error), ms: performance.now() - began };
}

it('an account has a third of the connections while other organizations are active', async () => {
  const pool = openDatabase({ url: testDatabase.url, max: 9 });
  const waitingOf9 = async () => {
    const { sql } = pool.of({ id: 'busy' });
    const running = Array.from({ length: 9 }, () => sql.unsafe('select 1').execute());
    const { waiting } = pool.pool();
    await Promise.all(running);
    return waiting;
  };
  expect(await waitingOf9()).toBe(2);
  await pool.of({ id: 'other' }).sql.unsafe('select 1');
  expect(await waitingOf9()).toBe(6);
  await pool.close();
});

it.each([
  { bytes: 50_000, count: 20, batches: [9, 5, 5, 1] },
  { bytes: 10, count: 400, batches: [200, 200] },
])(
  'a list of $count rows of $bytes bytes is read in batches of $batches',
  async ({ bytes, count, batches }) => {
    const query = { sql: `select repeat('x', ${bytes}) from generate_series(1, $1::int)`, params: [count] };
    const lengths: number[] = [];
    for await (const { rows } of readRows(admin.sql, query)) lengths.push(rows.length);
    expect(lengths).toEqual(batches);
  },
);

describe('a list whose reader has stopped', () => {
  it('ends without a word when its connection is lost', async () => {
    const proxy = await startProxy(testDatabase.url);
    const pool = openDatabase({ url: proxy.url, max: 2 });
    const query = { sql: 'select n::text from generate_series(1, $1::int) n', params: [1_000] };
    const rows = readRows(pool.sql, query);
    expect((await rows.next()).value?.rows).toHaveLength(200);
    proxy.reset();
    await pause(50);
    await rows.return(undefined);
    await pause(50);

    const others = readRows(pool.sql, query);
    await others.next();
    proxy.reset();
    await pause(50);
    // Whichever postgres.js notices first.
    expect(['CONNECTION_CLOSED', 'ECONNRESET']).toContain((await failure(others.next())).code);
    const lengths: number[] = [];
    const all = readRows(pool.sql, query);
    for await (const { rows } of all) lengths.push(rows.length);
    expect(lengths).toEqual([200, 200, 200, 200, 200]);
    expect(pool.pool().inUse).toBe(0);
    await pool.close();
    await proxy.close();
  });
});

describe('a database at several addresses', () => {
  it('is found at the one that answers', async () => {
    const [one, two] = [await startProxy(testDatabase.url), await startProxy(testDatabase.url)];
    const url = new URL(one.url);
    // Not a URL to WHATWG.
    const both = one.url.replace(url.host, `${url.host},${new URL(two.url).host}`);
    const pool = openDatabase({ url: both, max: 2 });
    const ask = () => pool.sql.unsafe('select 1 as one');
    await Promise.all([ask(), ask(), ask()]);
    await one.close();
    await expect
      .poll(
        () =>
          ask().then(
            ([row]) => row?.one,
            () => 'lost',
          ),
        { timeout: 5_000 },
      )
      .toBe(1);
    expect((await Promise.all([ask(), ask(), ask()])).map(([row]) => row?.one)).toEqual([1, 1, 1]);
    await two.close();
    await expect(ask()).rejects.toThrow();
    await pool.close();
  });
});

// Most of the time they wait.
describe.concurrent('a database that says nothing any more', () => {
  it('is noticed within seconds, refuses what comes then at once, and is back as soon as it answers', async () => {
    const proxy = await startProxy(testDatabase.url);
    const pool = openDatabase({ url: proxy.url, max: 3 });
    const ask = () => pool.sql.unsafe('select 1');
    await Promise.all([ask(), ask(), ask()]);

    proxy.silence();
    // Three on connections that are open, others that wait for one, and one in a transaction between two statements.
    const waiting = Array.from({ length: 9 }, () => failure(ask()));
    for (const { code, ms } of await Promise.all(waiting)) {
      expect(code).toBe('DATABASE_DOWN');
      expect(ms).toBeLessThan(limit(10_000));
    }
    const refused = await failure(ask());
    expect(refused.code).toBe('DATABASE_DOWN');
    expect(refused.ms).toBeLessThan(limit(1_000));
    expect((await failure(pool.ping(2_000))).code).toBe('NO_ANSWER');

    proxy.resume();
    const isBack = () =>
      ask().then(
        () => true,
        () => false,
      );
    await vi.waitUntil(isBack, { timeout: 10_000, interval: 20 });
    await pool.ping(limit(2_000));
    await pool.close();
    await proxy.close();
  });

  it('is told within the time that was given, however it says nothing', async () => {
    // The first connection is dropped after a while; the next, with which the pool tries again, is never answered.
    const server = net.createServer((socket) => {
      socket.on('error', () => {});
      if (!dropped) setTimeout(() => socket.destroy(), 300);
      dropped = true;
    });
    let dropped = false;
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as net.AddressInfo;
    const pool = openDatabase({ url: `postgres://u:p@127.0.0.1:${port}/x`, max: 1 });
    const began = performance.now();
    await expect(pool.ping(500)).rejects.toMatchObject({ code: 'NO_ANSWER' });
    expect(performance.now() - began).toBeLessThan(limit(750));
    await pool.close(0);
    server.close();
  });

  it('is told from one that takes long', async () => {
    const pool = openDatabase({ url: testDatabase.url, max: 1 });
    const slow = pool.sql.unsafe("select pg_sleep(2.5), 'slow' as answer").execute();
    await pool.ping(limit(2_000));
    expect((await slow)[0]?.answer).toBe('slow');
    await pool.close();
  });

  it('is told from one that answers others while the check waits', async () => {
    const proxy = await startProxy(testDatabase.url);
    const pool = openDatabase({ url: proxy.url, max: 1 });
    const ask = () => pool.sql.unsafe('select 1 as one');
    await ask();
    proxy.silenceOne();
    const ping = pool.ping(500);
    await pause(100);
    await ask();
    await ping;
    expect((await ask())[0]?.one).toBe(1);
    await pool.close();
    await proxy.close();
  });

  it('loses a statement that is not answered in time, and the connection with it', async () => {
    const proxy = await startProxy(testDatabase.url);
    const pool = openDatabase({ url: proxy.url, max: 2, statementMs: 500 });
    await pool.sql.begin((tx) => tx.unsafe('set local statement_timeout = 0; select pg_sleep(0.2)').simple());
    proxy.silenceOne();
    const { code, ms } = await failure(
      pool.sql.begin(async (tx) => {
        await tx.unsafe('select 1');
      }),
    );
    expect(code).toBe('ETIMEDOUT');
    expect(ms).toBeLessThan(limit(15_000));
    expect(await pool.sql.begin(async (tx) => (await tx.unsafe('select 1 as one'))[0]?.one)).toBe(1);
    await pool.close();
    await proxy.close();
  });
});

describe('a connection', () => {
  const pidOf = async ({ sql }: Database) => (await sql.unsafe('select pg_backend_pid() as pid'))[0]?.pid;

  it('is waited for, but not for ever', async () => {
    const pool = openDatabase({ url: testDatabase.url, max: 1, acquireTimeoutMs: 100 });
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const long = pool.sql.begin(() => released);
    expect((await failure(pool.sql.unsafe('select 1'))).code).toBe('TOO_BUSY');
    expect((await failure(pool.withConnection((sql) => sql.unsafe('select 1')))).code).toBe('TOO_BUSY');
    release();
    await long;
    expect(await pidOf(pool)).toBeGreaterThan(0);
    await pool.close();
  });

  it('ends a statement after 30 s, unless its transaction lifts the limit', async () => {
    const pool = openDatabase({ url: testDatabase.url, max: 1 });
    const limitOf = async (sql: Pick<Database['sql'], 'unsafe'>) =>
      (await sql.unsafe("select current_setting('statement_timeout') as value"))[0]?.value;
    expect(await limitOf(pool.sql)).toBe('30s');
    const lifted = await pool.sql.begin(async (tx) => {
      await tx.unsafe('set local statement_timeout = 0');
      return limitOf(tx);
    });
    expect(lifted).toBe('0');
    expect(await limitOf(pool.sql)).toBe('30s');
    await pool.close();
  });

  it('prepares what is asked often, unless its plan depends on the parameters', async () => {
    const pool = openDatabase({ url: testDatabase.url, max: 1 });
    const planEachTime = { planEachTime: true } as never;
    for (let n = 0; n < 5; n++) {
      await pool.sql.unsafe('select $1::int as often', [n]);
      await pool.sql.unsafe('select $1::int as planned', [n], planEachTime);
    }
    const prepared = await pool.sql.unsafe(
      "select statement from pg_prepared_statements where statement like '%as %'",
    );
    expect([...prepared]).toEqual([{ statement: 'select $1::int as often' }]);
    await pool.close();
  });

  it('is closed when it is old or was not used for long', async () => {
    const pool = openDatabase({ url: testDatabase.url, max: 2 });
    const before = await pidOf(pool);
    expect(await pidOf(pool)).toBe(before);
    const { now } = performance;
    let passed = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + passed);
    try {
      passed += 31 * 60_000;
      expect(await pidOf(pool)).toBe(before);
      const renewed = await pidOf(pool);
      expect(renewed).not.toBe(before);
      expect(pool.pool().open).toBe(1);
      passed += 11 * 60_000;
      await expect.poll(() => pool.pool().open, { timeout: limit(5_000) }).toBe(0);
      expect(await pidOf(pool)).not.toBe(renewed);
    } finally {
      clock.mockRestore();
    }
    await pool.close();
  });

  it('is another one after many organizations', async () => {
    const pool = openDatabase({ url: testDatabase.url, max: 1 });
    const touch = (n: number) =>
      pool.sql.unsafe(`select '"org_${n.toString(16).padStart(32, '0')}"', pg_backend_pid() as pid`);
    const pids = new Set<number>();
    for (let n = 0; n < 2_500; n++) pids.add((await touch(n))[0]?.pid);
    for (let n = 0; n < 2_500; n++) pids.add((await touch(7))[0]?.pid);
    expect(pids.size).toBe(4);
    await pool.close();
  });

  it('is shared by more when PostgreSQL has no others to give, and had when it has', async () => {
    const { url } = testDatabase;
    const role = `few_${Date.now().toString(36)}`;
    await admin.sql.unsafe(`create role ${role} login password 'few' connection limit 3`);
    const limited = Object.assign(new URL(url), { username: role, password: 'few' });
    const pool = openDatabase({ url: limited.href, max: 10 });
    const work = () =>
      Promise.all(Array.from({ length: 40 }, () => pool.sql.unsafe('select pg_sleep(0.01)')));
    await work();
    expect(pool.pool().open).toBe(3);
    // The question whether the database is there finds no connection of its own, and none of these is free for it.
    const busy = Array.from({ length: 3 }, () => pool.sql.unsafe('select pg_sleep(2.5)').execute());
    await pool.ping(limit(2_000));
    await Promise.all(busy);
    await admin.sql.unsafe(`alter role ${role} connection limit 20`);
    await expect.poll(() => work().then(() => pool.pool().open), { timeout: 10_000 }).toBe(10);
    await pool.close();
    await expect.poll(() => admin.sql.unsafe(`drop role ${role}`).then(() => true)).toBe(true);
  });

  it('fails soon when there is none at all', async () => {
    const role = `none_${Date.now().toString(36)}`;
    await admin.sql.unsafe(`create role ${role} login password 'none' connection limit 0`);
    const limited = Object.assign(new URL(testDatabase.url), { username: role, password: 'none' });
    const pool = openDatabase({ url: limited.href, max: 2 });
    expect(await failure(pool.sql.unsafe('select 1'))).toMatchObject({ code: '53300' });
    expect(await failure(pool.ping(2_000))).toMatchObject({ code: '53300' });
    await admin.sql.unsafe(`alter role ${role} connection limit 1`);
    await expect
      .poll(
        () =>
          pool.ping(limit(2_000)).then(
            () => 'up',
            () => 'down',
          ),
        { timeout: 10_000 },
      )
      .toBe('up');
    await pool.close();
    await expect.poll(() => admin.sql.unsafe(`drop role ${role}`).then(() => true)).toBe(true);
  });
});

describe('a transaction', () => {
  let pool: Database;
  beforeAll(async () => {
    pool = openDatabase({ url: testDatabase.url, max: 2 });
    await pool.sql.unsafe('create table kept (n int primary key)');
  });
  afterAll(() => pool.close());
  const kept = async () => (await pool.sql.unsafe('select n from kept order by n')).map(({ n }) => n);

  it('is all there when it is over, or nothing of it', async () => {
    await pool.sql.begin(async (tx) => {
      await Promise.all([tx.unsafe('insert into kept values (1)'), tx.unsafe('insert into kept values (2)')]);
    });
    await expect(
      pool.sql.begin(async (tx) => {
        await tx.unsafe('insert into kept values (3)');
        throw new Error('changed my mind');
      }),
    ).rejects.toThrow('changed my mind');
    expect(await kept()).toEqual([1, 2]);
  });

  it('fails with the query that failed, also when nobody looked at it', async () => {
    await expect(
      pool.sql.begin(async (tx) => {
        await tx.unsafe('insert into kept values (4)');
        await tx.unsafe('insert into kept values (1)').catch(() => {});
      }),
    ).rejects.toMatchObject({ code: '23505' });
    expect(await kept()).toEqual([1, 2]);
  });

  it('fails with the query that failed, not with one behind it whose failure is seen first', async () => {
    const slowly = async (query: PromiseLike<unknown>) => {
      const [result] = await Promise.allSettled([query, pause(50)]);
      if (result.status === 'rejected') throw result.reason;
    };
    await expect(
      pool.sql.begin((tx) =>
        Promise.all([slowly(tx.unsafe('insert into kept values (1)')), tx.unsafe('select 1')]),
      ),
    ).rejects.toMatchObject({ code: '23505' });
  });

  it('takes nothing more when it is over', async () => {
    const [late, made] = await pool.sql.begin(async (tx) => [tx, [tx.unsafe('insert into kept values (5)')]]);
    await expect(late.unsafe('insert into kept values (5)')).rejects.toThrow('over');
    // Made inside, and sent when somebody waits for it.
    await expect(made[0]).rejects.toThrow('over');
    expect(await kept()).toEqual([1, 2]);
  });

  it('is rolled back with what a failed query’s siblings have done, and takes nothing more of them', async () => {
    let late: Promise<unknown> = Promise.resolve();
    const failing = pool.sql.begin(async (tx) => {
      late = pause(100).then(() => tx.unsafe('insert into kept values (7)'));
      late.catch(() => {});
      await Promise.all([
        tx.unsafe('insert into kept values (6)'),
        tx.unsafe('insert into kept values (1)'),
        late,
      ]);
    });
    await expect(failing).rejects.toMatchObject({ code: '23505' });
    await expect(late).rejects.toThrow('over');
    expect(await kept()).toEqual([1, 2]);
  });

  it('goes on after a query that cannot be sent', async () => {
    const outcomes = await pool.sql
      .begin((tx) =>
        Promise.allSettled([
          tx.unsafe('select $1::int as n', [1]),
          tx.unsafe('select $1::int as n', [undefined as never]),
          tx.unsafe('select $1::int as n', [3]),
        ]),
      )
      .catch((error) => error);
    expect(outcomes.message).toContain('undefined');
    expect((await pool.sql.unsafe('select 4 as n'))[0]?.n).toBe(4);
  });
});
