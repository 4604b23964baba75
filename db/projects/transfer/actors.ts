import { sql } from 'drizzle-orm';
import { arrayText, orgStatement, type SqlClient } from '../../statements.ts';
import { insertRows, type Route, type RowText, toJson } from './rows.ts';

/*
 * The activity of findings shows the names of tokens and rules. So the target gets the tokens of the project, and others that have
 * acted on its findings, as revoked ones without their hashes, and rules as deleted ones.
 */

type OfProject = { projectId: string };

const takeTokens = orgStatement<OfProject, RowText & { is_active: boolean }>(
  ({ apiTokens }, $) => sql`
with gone as (delete from ${apiTokens} where project_id = ${$.projectId}::uuid returning *)
select not revoked as is_active, row_to_json(gone)::text as row from gone`,
);

const readTokens = orgStatement<{ ids: string }, RowText>(
  ({ apiTokens }, $) => sql`
select row_to_json(t)::text as row from ${apiTokens} t where id = any (${$.ids}::uuid[])`,
);

const insertTokens = orgStatement<OfProject & { rows: string }, object>((tables, $) =>
  insertRows(tables, tables.apiTokens, $.rows, {
    values: {
      project_id: sql`${$.projectId}::uuid`,
      token_hash: sql`repeat('0', 64)`,
      revoked: sql`true`,
      suspended: sql`false`,
    },
    conflict: sql`on conflict (id) do nothing`,
  }),
);

const readRules = orgStatement<{ ids: string }, RowText>(
  ({ rules }, $) => sql`
select row_to_json(r)::text as row from ${rules} r where id = any (${$.ids}::uuid[])`,
);

const insertRules = orgStatement<{ rows: string; now: string }, object>((tables, $) =>
  insertRows(tables, tables.rules, $.rows, {
    values: {
      enabled: sql`false`,
      conditions: sql`'{}'::json`,
      actions: sql`'{}'::json`,
      deleted_at: sql`${$.now}::timestamptz`,
    },
    conflict: sql`on conflict (id) do nothing`,
  }),
);

/** Moves the tokens of a project and the names of those that have acted on it. @returns how many tokens were revoked by that */
export async function moveActors(
  tx: SqlClient,
  { source, target }: Route,
  { projectId, actors, now }: OfProject & { actors: ReadonlySet<string>; now: Date },
): Promise<number> {
  const ids = arrayText([...actors]);
  const own = await takeTokens(source).run(tx, { projectId });
  const tokens = [...own, ...(await readTokens(source).run(tx, { ids }))];
  if (tokens.length > 0) await insertTokens(target).run(tx, { projectId, rows: toJson(tokens) });
  const rules = await readRules(source).run(tx, { ids });
  if (rules.length > 0) await insertRules(target).run(tx, { rows: toJson(rules), now: now.toISOString() });
  return own.filter(({ is_active }) => is_active).length;
}
