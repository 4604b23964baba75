import { type SQL, sql } from 'drizzle-orm';
import { limitedStatement, type Projects } from '../../projects/reach.ts';
import { type FindingRow, json, type Resource } from '../../resources.ts';
import { type OrgTables, ruleOf, startOf } from '../../schema/org.ts';
import type { SqlClient } from '../../statements.ts';
import { findingViewFields } from './text.ts';

/** The properties that similar findings have in common, the most relevant first. `rule`: the source and the rule. */
export const SIMILARITIES = ['cve', 'rule', 'file'] as const;
export type Similarity = (typeof SIMILARITIES)[number];

export const MAX_SIMILAR = 20;
/**
 * Entries of an index that are read. More than are shown, because texts are indexed up to a length. A caller who does not reach all
 * projects needs more of them, because those of other projects are left out afterwards.
 */
const WINDOW = { all: 100, limited: 1_000 };

/** A finding without its description, and why it is similar. */
export type SimilarFinding = Omit<Resource<FindingRow>, 'description'> & { why: Similarity };

interface Found {
  finding: Omit<SimilarFinding, 'why'>;
  why: Similarity;
}

interface Row {
  exists: boolean;
  found: Found[];
}

const number = (value: number) => sql.raw(String(value));

/**
 * Reads the first entries of an index at or after a key, in the order of the key. For `=` PostgreSQL may collect all
 * findings with the key first, which takes long if there are many.
 */
const similarStatement = limitedStatement<{ id: string }, Row>((tables, $, limit) => {
  const { findings: f } = tables;
  const limited = limit(sql`f.project_id`);
  const window = number(limited ? WINDOW.limited : WINDOW.all);
  const column = (name: string) => sql.raw(`f.${name}`);
  const rule = ruleOf({ ruleId: column('rule_id'), title: column('title') });
  const file = startOf(column('file'));
  const [givenRule, givenFile] = [startOf(sql.raw('given.rule')), startOf(sql.raw('given.file'))];
  const alike = (why: Similarity, { from, order, is }: Record<'from' | 'order' | 'is', SQL>) => sql`
  select f.id, ${number(SIMILARITIES.indexOf(why))} as rank from given cross join lateral (
    select f.id, f.cve, ${rule} as rule, f.source, f.file, f.project_id from ${f} f where ${from} order by ${order} limit ${window}
  ) f where ${limited ? sql`${is} and ${limited}` : is}`;
  const cases = SIMILARITIES.map((name, rank) => sql.raw(`when ${rank} then '${name}'`));
  return sql`
with given as materialized (
  select f.id, f.cve, ${rule} as rule, f.source, f.file from ${f} f where f.id = ${$.id}::uuid
), alike as (${alike('cve', {
    from: sql`f.cve >= given.cve`,
    order: sql`f.cve`,
    is: sql`f.cve = given.cve`,
  })}
  union all${alike('rule', {
    from: sql`(${startOf(rule)}, f.source) >= (${givenRule}, given.source)`,
    order: sql`${startOf(rule)}, f.source`,
    is: sql`f.rule = given.rule and f.source = given.source`,
  })}
  union all${alike('rule', {
    // Findings without a source are the last ones of a rule.
    from: sql`${startOf(rule)} <= ${givenRule} and given.source is null`,
    order: sql`${startOf(rule)} desc, f.source desc`,
    is: sql`f.rule = given.rule and f.source is null`,
  })}
  union all${alike('file', {
    from: sql`${file} >= ${givenFile} and f.file is not null`,
    order: file,
    is: sql`f.file = given.file`,
  })}
), best as materialized (
  select id, min(rank) as rank from alike where id <> ${$.id}::uuid
  group by id order by 2, 1 desc limit ${number(MAX_SIMILAR)}
)
select exists (select from given), coalesce((
  select json_agg(json_build_object('finding', ${json(findingViewFields(tables, { as: 'json', brief: true }))},
    'why', case rank ${sql.join(cases, sql` `)} end) order by rank, best.id desc)
  from best join ${f} on ${f.id} = best.id), '[]') as found`;
});

/**
 * Finds similar findings in some projects.
 * @returns undefined if the finding does not exist
 */
export async function readSimilar(
  client: SqlClient,
  tables: OrgTables,
  id: string,
  projects: Projects,
): Promise<SimilarFinding[] | undefined> {
  const [row] = await similarStatement(tables, projects).run(client, { id });
  return row?.exists ? row.found.map(({ finding, why }) => ({ ...finding, why })) : undefined;
}
