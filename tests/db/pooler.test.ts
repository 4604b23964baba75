import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Database, openDatabase } from '../../db/client.ts';

/*
 * Differences of PgBouncer in transaction mode, as its clients see them. `npm run soak -- pgbouncer` runs all tests
 * behind the real one.
 */

const cleanUps: (() => unknown)[] = [];
afterAll(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
});

let pooled: string;
beforeAll(async () => {
  pooled = await startPooler(inject('postgresUrl'));
});

/** Refuses `statement_timeout` at the start, and gives clients process numbers that no backend has. */
async function startPooler(url: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const server = net.createServer((client) => {
    const onward = net.connect(Number(port || 5432), hostname);
    client.on('error', () => {}).on('close', () => onward.destroy());
    onward.on('error', () => {}).on('close', () => client.destroy());
    client.once('data', (start) => {
      if (start.includes('statement_timeout')) {
        client.end(refusal('unsupported startup parameter: statement_timeout'));
        return;
      }
      onward.write(start);
      client.on('data', (data) => onward.write(data));
    });
    onward.on('data', (data) => {
      // BackendKeyData: its length, the process, a secret.
      const key = data.indexOf(Buffer.from('K\0\0\0', 'latin1'));
      if (key >= 0 && data.includes('server_version')) data.writeInt32BE(1, key + 5);
      client.write(data);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUps.push(() => server.close());
  const changed = new URL(url);
  changed.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return changed.href;
}

function refusal(message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0C08P01\0M${message}\0\0`);
  const head = Buffer.alloc(5, 'E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

function open(url: string, max: number, onPooler?: () => void): Database {
  const database = openDatabase({ url, max, ...(onPooler && { onPooler }) });
  cleanUps.push(() => database.close());
  return database;
}

const prepared = async ({ sql }: Database) => {
  const text = 'select $1::int as answer';
  for (let i = 0; i < 10; i++) await sql.unsafe(text, ['42']);
  const [row] = await sql.unsafe<{ count: number }[]>(
    'select count(*)::int as count from pg_prepared_statements where statement = $1',
    [text],
  );
  return row?.count;
};

describe('a pooler', () => {
  it('is noticed, and nothing is prepared behind it', async () => {
    let noticed = 0;
    expect(await prepared(open(pooled, 1, () => noticed++))).toBe(0);
    expect(noticed).toBe(1);
    expect(await prepared(open(inject('postgresUrl'), 1, () => noticed++))).toBe(1);
    expect(noticed).toBe(1);
  });

  it('gives all connections that are opened at the same time, without the limit that it takes from none', async () => {
    const { sql } = open(pooled, 10);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        sql.unsafe<{ limit: string }[]>(
          "select current_setting('statement_timeout') as limit, pg_sleep(0.05)",
        ),
      ),
    );
    expect(answers.map(([row]) => row?.limit)).toEqual(Array(10).fill('0'));
  });

  it('changes nothing about transactions', async () => {
    const { sql } = open(pooled, 2);
    const limits = await sql.begin(async (tx) => {
      await tx.unsafe("set local statement_timeout = '7s'");
      return await tx.unsafe<{ limit: string }[]>("select current_setting('statement_timeout') as limit");
    });
    expect(limits[0]?.limit).toBe('7s');
  });
});
