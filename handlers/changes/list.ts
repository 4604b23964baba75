import { readChanges } from '../../db/findings/changes/list.ts';
import { toResource } from '../../db/resources.ts';
import { RecentChange, UNDO_DAYS, undoableSince } from '../../lib/findings/triage/changes.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { pageParameters, requiredPage, resultInfo } from '../../lib/http/lists/pages.ts';
import { z } from '../../lib/schema.ts';

export const listChanges = endpoint(
  {
    method: 'get',
    path: '/changes',
    access: cookieOrg('member', 'own'),
    tag: 'Findings',
    summary: 'List your recent changes of findings',
    description: `The changes that you, or the token of the request, made in the last ${UNDO_DAYS} days, newest first, including the rules that you applied (\`actor.type\` is \`rule\`). Always a page.`,
    request: { query: z.object(pageParameters) },
    responses: { 200: { description: 'The changes.', result: z.array(RecentChange), paged: true } },
  },
  async ({ now, org, query, sql, actor }) => {
    const page = requiredPage(query);
    const window = { limit: page.perPage, offset: page.offset };
    const { total, changes } = await readChanges(sql, org.tables, actor.id, undoableSince(now), window);
    const shown = changes.map(({ at, undone_at, rule, finding_id, title, ...change }) => ({
      ...change,
      ...toResource({
        ...{ finding_id, title, at: new Date(at) },
        undone_at: undone_at === null ? null : new Date(undone_at),
      }),
      actor: rule ? { type: 'rule' as const, ...rule } : actor,
    }));
    return ok(shown, { result_info: resultInfo(page, total) });
  },
);
