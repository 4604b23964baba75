import { and, inArray } from 'drizzle-orm';
import { changeFindings } from '../../db/findings/triage/triage.ts';
import { within } from '../../db/projects/reach.ts';
import { FINDING_STATUSES } from '../../db/schema/values.ts';
import { visible } from '../../lib/findings/filter/conditions.ts';
import { Filter } from '../../lib/findings/filter/parameters.ts';
import { commonFields } from '../../lib/findings/triage/changes.ts';
import { changeShape, checkChange, noteRisks, requireChanges } from '../../lib/findings/triage/triage.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { bulkResult, changeByFilter, MAX_BY_FILTER } from '../../lib/http/bulk/change-findings.ts';
import type { OrgCall } from '../../lib/http/call.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { requireStays } from '../../lib/projects/transfer/guard.ts';
import { changeId } from '../../lib/resources.ts';
import { EXAMPLE_ID, id, shown, text, uuid, z } from '../../lib/schema.ts';

const MAX_CHANGES = 500;
const MAX_COUNT = 2_147_483_647;

/** Any text: an id that cannot exist is no worse than one that does not. */
const anyId = () => text({ min: 1, max: 36, example: EXAMPLE_ID }).toLowerCase();
const isId = (text: string) => uuid().safeParse(text).success;

const noDuplicates = (
  ids: readonly string[],
  context: z.RefinementCtx,
  pathOf: (i: number) => PropertyKey[],
) => {
  const seen = new Set<string>();
  for (const [i, id] of ids.entries()) {
    if (seen.has(id))
      context.addIssue({ code: 'custom', path: pathOf(i), message: 'must stand there only once' });
    seen.add(id);
  }
};

const Changes = z
  .array(z.strictObject({ id: anyId(), ...changeShape }).superRefine(checkChange))
  .min(1, 'must not be empty')
  .max(MAX_CHANGES, `must have at most ${MAX_CHANGES} entries`)
  .superRefine((changes, context) =>
    noDuplicates(
      changes.map(({ id }) => id),
      context,
      (i) => [i, 'id'],
    ),
  );

const Ids = z
  .array(anyId())
  .min(1, 'must not be empty')
  .max(MAX_CHANGES, `must have at most ${MAX_CHANGES} entries`)
  .superRefine((ids, context) => noDuplicates(ids, context, (i) => [i]));

const SELECTIONS = ['changes', 'ids', 'filter'] as const;
const OF_FILTER = ['expected_count', 'limit', 'after'] as const;

/** A field that does not exist is refused, because a condition with a typo would let more findings change. */
const ManyFindingChanges = z
  .strictObject({
    changes: Changes.optional().openapi({ description: 'A change for each finding.' }),
    ids: Ids.optional().openapi({ description: 'Findings that get the same change, instead of `changes`.' }),
    filter: Filter.optional().openapi({
      description: 'The filters of the list of findings that get the same change, instead of `changes`.',
    }),
    expected_count: z.int().min(0).max(MAX_COUNT).optional().openapi({
      description:
        'How many findings match the filter. If others do, nothing changes (409). Not with `after`.',
      example: 120,
    }),
    limit: z
      .int()
      .min(1)
      .max(MAX_BY_FILTER)
      .optional()
      .openapi({
        description: `How many findings are changed at most, newest first. Default ${MAX_BY_FILTER}.`,
      }),
    after: uuid()
      .optional()
      .openapi({ description: 'Continues after a response with this `next`. Older findings are changed.' }),
    ...changeShape,
  })
  .superRefine((body, context) => {
    const { changes, ids, filter, expected_count, limit: _, after, ...change } = body;
    const [given, ...others] = SELECTIONS.filter((name) => body[name]);
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (!given) refuse('changes', 'is required');
    for (const name of others) refuse(name, `is possible only without ${given}`);
    if (ids || filter) checkChange(change, context);
    if (filter && after === undefined && expected_count === undefined)
      refuse('expected_count', 'is required');
    for (const name of OF_FILTER)
      if (!filter && body[name] !== undefined) refuse(name, 'is possible only with filter');
  })
  .openapi('ManyFindingChanges', { example: { changes: [{ id: EXAMPLE_ID, status: 'confirmed' }] } });

export const updateFindings = endpoint(
  {
    method: 'patch',
    path: '/findings',
    access: cookieOrg('member', 'list'),
    audit: { none: 'history' },
    tag: 'Findings',
    summary: 'Triage findings',
    description:
      'Changes findings: with `changes`, up to 500, each as it says; with `ids`, up to 500 in the same way; with `filter`, all that match, up to `limit` per request, in the same way. Only agents set `verified`. Findings that do not exist are listed in `failed`, findings with another status than `if_status` in `conflicts`; all others are changed.',
    request: { body: ManyFindingChanges },
    responses: {
      200: {
        description: 'The results, in the order of the request.',
        result: z.object({
          updated: z.array(
            z.object({
              id: id(),
              status: z.enum(FINDING_STATUSES),
              previous_status: z.enum(FINDING_STATUSES),
            }),
          ),
          failed: z.array(
            z.object({
              id: shown(EXAMPLE_ID, 'As it was given, in lower case.'),
              code: z.enum(['not_found', 'denied']).openapi({
                description: '`denied`: the role of the caller in the project of the finding is too low.',
              }),
              message: shown('The finding does not exist.', 'For people; it may change.'),
            }),
          ),
          conflicts: z.array(z.object({ id: id(), status: z.enum(FINDING_STATUSES) })),
          change_id: changeId().optional(),
          change_ids: z
            .array(id())
            .optional()
            .openapi({ description: 'With `filter`: the changes that can be undone, one for 500 findings.' }),
          next: id()
            .optional()
            .openapi({ description: 'With `filter`: more findings may match. Send it as `after`.' }),
        }),
      },
    },
    errors: ['resource_error/conflict'],
  },
  async (call) => {
    const { actor, body, now, org, services, sql } = call;
    const { changes: each, ids = [], filter, expected_count, limit, after, ...same } = body;
    if (filter) {
      await requireStays(call, 'any');
      const selection = { filter, expectedCount: expected_count, limit: limit ?? MAX_BY_FILTER, after };
      const { project_id: projects } = visible(call, filter);
      await requireChanges(call, services.config, [{ change: same, path: '', of: { projects } }]);
      return ok(await changeByFilter(call, selection, same));
    }
    const changes = each ?? ids.map((id) => ({ ...same, id }));
    const { possible, denied } = await changeable(
      call,
      changes.filter(({ id }) => isId(id)),
    );
    const checked = new Set(possible.map(({ id }) => id));
    await requireChanges(
      call,
      services.config,
      changes.map((change, i) => ({
        change,
        path: each ? `changes.${i}.` : '',
        // An error about the project of a hidden finding would tell that the finding exists.
        ...(checked.has(change.id) && { of: { finding: change.id } }),
      })),
    );
    const change = services.nextId().id;
    const changer = {
      now,
      actorId: actor.id,
      changeId: change,
      what: commonFields(changes),
      unlessMoving: true,
    };
    await noteRisks(call, possible);
    const found = await changeFindings(sql, org.tables, possible, changer);
    if (found.length < possible.length) await requireStays(call, { findings: possible.map(({ id }) => id) });
    const result = bulkResult(
      changes.map(({ id }) => id),
      found,
      denied,
    );
    return ok({ ...result, ...(result.updated.length > 0 && { change_id: change }) });
  },
);

/** The changes of findings that the caller may change, and the findings that the caller sees only. All others count as missing. */
async function changeable<Change extends { id: string }>(
  { db, org, reach }: OrgCall,
  changes: Change[],
): Promise<{ possible: Change[]; denied: Set<string> }> {
  if (reach === undefined) return { possible: changes, denied: new Set() };
  const { findings: f } = org.tables;
  const ids = changes.map(({ id }) => id);
  const found = await db
    .select({ id: f.id, projectId: f.projectId })
    .from(f)
    .where(and(inArray(f.id, ids), within(f.projectId, [...reach.roles.keys()])));
  const isDenied = new Map(found.map(({ id, projectId }) => [id, !reach.ids.includes(projectId)]));
  return {
    possible: changes.filter(({ id }) => isDenied.get(id) === false),
    denied: new Set([...isDenied].flatMap(([id, denied]) => (denied ? id : []))),
  };
}
