import { expect, vi } from 'vitest';
import type { Database } from '../../../db/client.ts';

/** Waits until so many statements in a database wait for locks. */
export const untilBlocked = (sql: Pick<Database['sql'], 'unsafe'>, count = 1) =>
  vi.waitFor(
    async () => {
      const blocked = await sql.unsafe(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      expect(blocked).toHaveLength(count);
    },
    { timeout: 20_000, interval: 10 },
  );
