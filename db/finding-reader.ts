import { sql } from 'drizzle-orm';
import type { Database } from './client.ts';
import { createGroup } from './group.ts';
import { type OrgTables, perOrg } from './org.ts';
import { findingFields, jsonText } from './resources.ts';
import { arrayText, toQuery } from './statements.ts';

/** Reads a finding of an org by its id; @returns its JSON, or undefined when there is none such */
export type FindingReader = (
  org: { id: string; tables: OrgTables },
  id: string,
) => Promise<string | undefined>;

const MAX_GROUP = 200;

/** Reads of one org that arrive while one is under way share the next, which starts after all of them have arrived. */
export function createFindingReader(database: Database): FindingReader {
  const groupOf = perOrg(({ tables }: { id: string; tables: OrgTables }) => {
    const { findings } = tables;
    const { sql: statement } = toQuery(
      sql`select ${findings.id} as id, ${jsonText(findingFields(tables))} as json from ${findings}
        where ${findings.id} = any (${sql.placeholder('ids')}::uuid[])`,
    );
    return createGroup<string, string | undefined>({
      maxItems: MAX_GROUP,
      async run(ids) {
        const rows = await database.sql.unsafe<{ id: string; json: string }[]>(statement, [arrayText(ids)]);
        const found = new Map(rows.map(({ id, json }) => [id, json]));
        return ids.map((id) => found.get(id.toLowerCase()));
      },
    });
  });
  return (org, id) => groupOf(org)(id);
}
