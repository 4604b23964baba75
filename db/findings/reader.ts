import { sql as fragment } from 'drizzle-orm';
import { createBatcher } from '../batcher.ts';
import type { Database } from '../client.ts';
import type { Sql } from '../pool/query.ts';
import { findingFields, jsonText } from '../resources.ts';
import type { OrgTables } from '../schema/org.ts';
import { perOrg } from '../schema/org-schema.ts';
import { arrayText, toQuery } from '../statements.ts';

/** Reads a finding of an org by its id; @returns its JSON, or undefined when there is none such */
export type FindingReader = (
  org: { id: string; tables: OrgTables },
  id: string,
) => Promise<string | undefined>;

const MAX_GROUP = 200;

/** Reads of one org that arrive while one is under way share the next, which starts after all of them have arrived. */
export function createFindingReader(database: Database): FindingReader {
  const groupOf = perOrg((org: { id: string; tables: OrgTables }) => {
    const { tables } = org;
    const { findings } = tables;
    const { sql: statement } = toQuery(
      fragment`select ${findings.id} as id, ${jsonText(findingFields(tables))} as json from ${findings}
        where ${findings.id} = any (${fragment.placeholder('ids')}::uuid[])`,
    );
    return createBatcher<string, string | undefined, Sql>({
      acquire: database.of(org).withConnection,
      maxConcurrent: 3,
      maxItems: MAX_GROUP,
      async run(ids, sql) {
        const rows = await sql.unsafe<{ id: string; json: string }[]>(statement, [arrayText(ids)]);
        const found = new Map(rows.map(({ id, json }) => [id, json]));
        return ids.map((id) => found.get(id.toLowerCase()));
      },
    });
  });
  return (org, id) => groupOf(org)(id);
}
