import { asc, eq, isNull, sql } from 'drizzle-orm';
import { timeOfId } from '../../db/ids.ts';
import { ruleFields, toResource } from '../../db/resources.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { Rule } from '../../lib/rules/fields.ts';
import { z } from '../../lib/schema.ts';

export const listRules = endpoint(
  {
    method: 'get',
    path: '/rules',
    access: cookieOrg('admin', 'none'),
    tag: 'Rules',
    summary: 'List rules',
    description:
      'In their order: of the enabled rules that match a new finding, the first one decides. `matched_count` and `last_matched_at` tell how often and when a rule last did.',
    responses: { 200: { description: 'The rules.', result: z.object({ rules: z.array(Rule) }) } },
  },
  async ({ db, org: { tables } }) => {
    const { rules: r, ruleChanges: c } = tables;
    const ofRule = sql`from ${c} where ${eq(c.ruleId, r.id)}`;
    const rows = await db
      .select({
        ...ruleFields(tables),
        matched_count: sql<number>`(select count(*)::int ${ofRule})`,
        // The id of a finding carries the time when it was found.
        last: sql<string | null>`(select ${c.findingId} ${ofRule} order by ${c.findingId} desc limit 1)`,
      })
      .from(r)
      .where(isNull(r.deletedAt))
      .orderBy(asc(r.position), asc(r.id));
    return ok({
      rules: rows.map(({ last, ...rule }) =>
        toResource({ ...rule, last_matched_at: last === null ? null : timeOfId(last) }),
      ),
    });
  },
);
