import { asc, sql } from 'drizzle-orm';
import { savedViewFields, toResource } from '../../db/resources.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { z } from '../../lib/schema.ts';
import { isVisible, View } from '../../lib/views/views.ts';

export const listViews = endpoint(
  {
    method: 'get',
    path: '/views',
    access: cookieOrg('viewer', 'any member'),
    tag: 'Saved views',
    summary: 'List saved views',
    description: "Lists the caller's views and those that other members share, by name.",
    responses: { 200: { description: 'The views.', result: z.array(View) } },
  },
  async (call) => {
    const { tables } = call.org;
    const { savedViews: v } = tables;
    const rows = await call.db
      .select(savedViewFields(tables))
      .from(v)
      .where(isVisible(call))
      .orderBy(sql`lower(${v.name})`, asc(v.id));
    return ok(rows.map(toResource));
  },
);
