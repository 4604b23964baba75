import { asc, isNull } from 'drizzle-orm';
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
    access: cookieOrg('admin'),
    tag: 'Rules',
    summary: 'List rules',
    description: 'In their order: of the enabled rules that match a new finding, the first one decides.',
    responses: { 200: { description: 'The rules.', result: z.object({ rules: z.array(Rule) }) } },
  },
  async ({ db, org: { tables } }) => {
    const { rules: r } = tables;
    const rows = await db
      .select(ruleFields(tables))
      .from(r)
      .where(isNull(r.deletedAt))
      .orderBy(asc(r.position), asc(r.id));
    return ok({ rules: rows.map(toResource) });
  },
);
