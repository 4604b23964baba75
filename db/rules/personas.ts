import { sql } from 'drizzle-orm';
import QuickLRU from 'quick-lru';
import type { OrgTables } from '../schema/org.ts';
import { run, type SqlClient } from '../statements.ts';

/** Gives the personas of scans, which never change, by their scan ids. */
export type Personas = (
  client: SqlClient,
  tables: OrgTables,
  scanIds: readonly string[],
) => Promise<ReadonlyMap<string, string>>;

const MAX_KEPT = 1_000;

/** Reads the personas of scans and keeps those that were needed last. */
export function createPersonas(): Personas {
  const kept = new QuickLRU<string, string>({ maxSize: MAX_KEPT });
  return async (client, { scans }, scanIds) => {
    const personas = new Map<string, string>();
    const unknown: string[] = [];
    for (const id of new Set(scanIds)) {
      const persona = kept.get(id);
      if (persona === undefined) unknown.push(id);
      else personas.set(id, persona);
    }
    if (unknown.length === 0) return personas;
    const rows = await run<{ scan_id: string; persona: string }>(
      client,
      sql`select scan_id, persona from ${scans}
        where scan_id = any (array(select json_array_elements_text(${JSON.stringify(unknown)}::text::json)))`,
    );
    for (const { scan_id, persona } of rows) {
      kept.set(scan_id, persona);
      personas.set(scan_id, persona);
    }
    return personas;
  };
}
