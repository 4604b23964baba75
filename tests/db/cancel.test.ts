import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../db/client.ts';
import { dependencies } from '../../package.json' with { type: 'json' };
import { createDatabase, type TestDatabase } from '../support/database/database.ts';
import { type DatabaseProxy, startProxy } from '../support/database/proxy.ts';
import { limit } from '../support/run/limits.ts';

/*
 * Cancelling needs private fields of postgres.js's queries (db/pool/driver.ts): these tests fail when another version of
 * postgres.js has others.
 */

let testDatabase: TestDatabase;
let proxy: DatabaseProxy;
let pool: Database;

beforeAll(async () => {
  testDatabase = await createDatabase();
  proxy = await startProxy(testDatabase.url);
});
afterAll(async () => {
  await proxy.close();
  await testDatabase.drop();
});

const pause = (ms: number) => new Promise((over) => setTimeout(over, ms));

const cancellable = (sql: Pick<Database['sql'], 'unsafe'>, text: string, signal: AbortSignal) =>
  sql.unsafe(text, [], { signal } as never);

it('needs the exact version of postgres.js that these tests ran with', () => {
  expect(dependencies.postgres).toMatch(/^\d+\.\d+\.\d+$/);
});

describe('a query whose signal is aborted', () => {
  afterEach(() => pool.close());

  it('is cancelled in PostgreSQL; its connection continues to be used', async () => {
    pool = openDatabase({ url: testDatabase.url, max: 1 });
    const [before] = await pool.sql.unsafe('select pg_backend_pid() as pid');
    const began = performance.now();
    const controller = new AbortController();
    const query = cancellable(pool.sql, 'select pg_sleep(60)', controller.signal).execute();
    setTimeout(() => controller.abort(), 50);
    await expect(query).rejects.toMatchObject({ code: '57014' });
    await expect(cancellable(pool.sql, 'select pg_sleep(60)', controller.signal)).rejects.toMatchObject({
      code: '57014',
    });
    expect(performance.now() - began).toBeLessThan(limit(5_000));
    expect(await pool.sql.unsafe('select pg_backend_pid() as pid')).toEqual([before]);
  });

  it('is not cancelled before the queries ahead of it are answered', async () => {
    pool = openDatabase({ url: testDatabase.url, max: 1 });
    const outcomes = await pool.sql
      .begin(async (tx) => {
        const ahead = tx.unsafe("select pg_sleep(0.3), 'ahead' as answer").execute();
        const query = cancellable(tx, 'select pg_sleep(60)', AbortSignal.abort());
        throw await Promise.allSettled([ahead, query]);
      })
      .catch((settled) => settled);
    expect(outcomes).toMatchObject([
      { status: 'fulfilled', value: [{ answer: 'ahead' }] },
      { status: 'rejected', reason: { code: '57014' } },
    ]);
  });

  it('leaves the next query alone when it ended before the cancellation arrived', async () => {
    pool = openDatabase({ url: proxy.url, max: 1 });
    await pool.sql.unsafe('select 1');
    const controller = new AbortController();
    const query = cancellable(
      pool.sql,
      "select pg_sleep(0.2), 'done' as answer",
      controller.signal,
    ).execute();
    await pause(50);
    // The next connection is the one that carries the cancellation.
    proxy.delayNext(400);
    controller.abort();
    const next = pool.sql.unsafe("select pg_sleep(0.5), 'next' as answer").execute();
    expect((await query)[0]?.answer).toBe('done');
    expect((await next)[0]?.answer).toBe('next');
  });

  it('leaves the next use alone also when nobody waited for the query', async () => {
    pool = openDatabase({ url: proxy.url, max: 1 });
    await pool.sql.unsafe('select 1');
    const controller = new AbortController();
    const abandoned = pool.sql.begin(async (tx) => {
      cancellable(tx, 'select pg_sleep(0.2)', controller.signal)
        .execute()
        .catch(() => {});
      await pause(50);
      proxy.delayNext(400);
      controller.abort();
      throw new Error('the work failed');
    });
    await expect(abandoned).rejects.toThrow('the work failed');
    const [next] = await pool.sql.unsafe("select pg_sleep(0.5), 'next' as answer");
    expect(next?.answer).toBe('next');
  });

  it('ends by itself when the cancellation cannot be sent', async () => {
    const refusing = await startProxy(testDatabase.url);
    pool = openDatabase({ url: refusing.url, max: 1 });
    await pool.sql.unsafe('select 1');
    const unhandled: unknown[] = [];
    const note = (error: unknown) => unhandled.push(error);
    const others = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection');
    process.on('unhandledRejection', note);
    try {
      const controller = new AbortController();
      const query = cancellable(
        pool.sql,
        "select pg_sleep(0.2), 'done' as answer",
        controller.signal,
      ).execute();
      await pause(50);
      refusing.refuse();
      controller.abort();
      expect((await query)[0]?.answer).toBe('done');
      await pause(50);
      expect(unhandled).toEqual([]);
    } finally {
      process.off('unhandledRejection', note);
      for (const listener of others) process.on('unhandledRejection', listener);
      await refusing.close();
    }
  });
});
