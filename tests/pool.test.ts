import net, { type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../db/client.ts';
import { sqlState } from '../db/errors.ts';
import { createDatabase, type TestDatabase } from './support/database.ts';

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

describe('connections that are lost', () => {
  let proxy: net.Server;
  const proxied = new Set<net.Socket>();
  beforeAll(async () => {
    const { hostname, port } = new URL(testDatabase.url);
    proxy = net.createServer((socket) => {
      const onward = net.connect(Number(port), hostname);
      proxied.add(socket);
      socket.on('error', () => {}).on('close', () => proxied.delete(socket) && onward.destroy());
      onward.on('error', () => {}).on('close', () => socket.destroy());
      socket.pipe(onward).pipe(socket);
    });
    await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening));
  });
  afterAll(() => new Promise((closed) => proxy.close(closed)));

  const throughProxy = () => {
    const url = new URL(testDatabase.url);
    url.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    return url.href;
  };
  const ends = {
    'PostgreSQL ends them': async () => {
      await admin.sql.unsafe(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'doomed'",
      );
    },
    'the network resets them': async () => {
      for (const socket of proxied) socket.resetAndDestroy();
    },
  };

  it.each([
    ['PostgreSQL ends them', 20],
    ['PostgreSQL ends them', 3],
    ['the network resets them', 20],
    ['the network resets them', 3],
  ] as const)('because %s fail what was under way, and nothing else: %i at a time', async (how, atOnce) => {
    const url = how === 'the network resets them' ? throughProxy() : testDatabase.url;
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
    // The driver would wait for what a lost connection was asked last, if nothing was asked since in its place.
    await pool.sql.end({ timeout: 0 });
    expect(failures.size).toBeGreaterThan(0);
    // CONNECT_TIMEOUT would be a place of the pool that says nothing any more.
    expect([...failures].filter((code) => !LOST.has(`${code}`))).toEqual([]);
  });
});

/** What a query says whose connection is lost on the way. */
const LOST = new Set(['57P01', 'CONNECTION_CLOSED', 'ECONNRESET', 'EPIPE']);
