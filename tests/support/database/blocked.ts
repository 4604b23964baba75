import { expect, vi } from 'vitest';
import type { Database } from '../../../db/client.ts';

type Client = Pick<Database['sql'], 'unsafe'>;

/** The number of statements in a database that wait for locks. */
export async function countBlocked(sql: Client): Promise<number> {
  const blocked = await sql.unsafe(
    "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return blocked.length;
}

/** Waits until at least so many statements in a database wait for locks. */
export const untilBlocked = (sql: Client, count = 1) =>
  vi.waitFor(async () => expect(await countBlocked(sql)).toBeGreaterThanOrEqual(count), {
    timeout: 20_000,
    interval: 10,
  });
