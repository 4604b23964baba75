import { sql } from 'drizzle-orm';
import { createBatcher } from '../../batcher.ts';
import type { Database } from '../../client.ts';
import type { Sql } from '../../pool/query.ts';
import { findingFields, jsonText } from '../../resources.ts';
import type { OrgTables } from '../../schema/org.ts';
import { perOrg } from '../../schema/org-schema.ts';
import { arrayText, orgStatement } from '../../statements.ts';

/** Reads a finding of an org by its id; @returns its JSON, or undefined when there is none such */
export type FindingReader = (
  org: { id: string; tables: OrgTables },
  id: string,
) => Promise<string | undefined>;

const MAX_GROUP = 200;

const findingsById = orgStatement<{ ids: string }, { id: string; json: string }>(
  (tables, $) => sql`
select ${tables.findings.id} as id, ${jsonText(findingFields(tables))} as json from ${tables.findings}
where ${tables.findings.id} = any (${$.ids}::uuid[])`,
);

/** Reads of one org that arrive while one is under way share the next, which starts after all of them have arrived. */
export function createFindingReader(database: Database): FindingReader {
  const groupOf = perOrg((org: { id: string; tables: OrgTables }) =>
    createBatcher<string, string | undefined, Sql>({
      acquire: database.of(org).withConnection,
      maxConcurrent: 3,
      maxItems: MAX_GROUP,
      async run(ids, client) {
        const rows = await findingsById(org.tables).run(client, { ids: arrayText(ids) });
        const found = new Map(rows.map(({ id, json }) => [id, json]));
        return ids.map((id) => found.get(id.toLowerCase()));
      },
    }),
  );
  return (org, id) => groupOf(org)(id);
}
