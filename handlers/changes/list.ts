import { readChanges } from '../../db/findings/changes/list.ts';
import { toResource } from '../../db/resources.ts';
import { mayUndo, RecentChange, UNDO_DAYS, undoableSince } from '../../lib/findings/triage/changes.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { pageParameters, requiredPage, resultInfo } from '../../lib/http/lists/pages.ts';
import { z } from '../../lib/schema.ts';

export const listChanges = endpoint(
  {
    method: 'get',
    path: '/changes',
    access: cookieOrg('member', 'list'),
    tag: 'Findings',
    summary: 'List recent changes of findings',
    description: `The changes that you, or the token of the request, made in the last ${UNDO_DAYS} days, newest first, including the rules that you applied (\`actor.type\` is \`rule\`). With \`of=all\`, those of all members and tokens, and of the service for closed issues. Always a page.`,
    request: {
      query: z.object({
        of: z.enum(['me', 'all']).optional().openapi({
          description:
            'Whose changes. A token of a project and a member whose access is limited to projects list only their own changes that concern no other project. The default is `me`.',
        }),
        ...pageParameters,
      }),
    },
    responses: { 200: { description: 'The changes.', result: z.array(RecentChange), paged: true } },
  },
  async ({ now, org, query, reach, sql, actor, role }) => {
    const page = requiredPage(query);
    const window = { limit: page.perPage, offset: page.offset };
    const whose = reach === undefined ? (query.of ?? 'me') : 'me';
    const of = { whose, actorId: actor.id, since: undoableSince(now) };
    const { total, changes } = await readChanges(sql, org.tables, of, window, reach?.ids);
    const shown = changes.map((read) => {
      const { at, undone_at, rule, finding_id, title, actor_id, actor_name, is_token, ...change } = read;
      return {
        ...change,
        ...toResource({
          ...{ finding_id, title, at: new Date(at) },
          undone_at: undone_at === null ? null : new Date(undone_at),
        }),
        actor: rule
          ? { type: 'rule' as const, ...rule }
          : actor_id === null
            ? { type: 'system' as const }
            : actor_id === actor.id
              ? actor
              : toResource({
                  type: is_token ? ('token' as const) : ('user' as const),
                  id: actor_id,
                  name: actor_name,
                }),
        can_undo: undone_at === null && mayUndo({ actor, role }, actor_id),
      };
    });
    return ok(shown, { result_info: resultInfo(page, total) });
  },
);
