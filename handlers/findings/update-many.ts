import { setFindingStatuses } from '../../db/findings/findings.ts';
import { FINDING_STATUSES } from '../../db/schema/values.ts';
import { USER_STATUSES } from '../../lib/findings/input.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { EXAMPLE_ID, id, shown, text, uuid, z } from '../../lib/http/schema.ts';

const MAX_CHANGES = 500;

/** Any text: an id that cannot exist is no worse than one that does not. */
const anyId = () => text({ min: 1, max: 36, example: EXAMPLE_ID }).toLowerCase();
const isId = (text: string) => uuid().safeParse(text).success;

export const updateFindings = endpoint(
  {
    method: 'patch',
    path: '/findings',
    access: cookieOrg('member'),
    tag: 'Findings',
    summary: 'Triage findings',
    description:
      'Sets the statuses of up to 500 findings, each listed once. Only agents set `verified`. Findings that do not exist are listed in `failed`; all others are changed.',
    request: {
      body: z.object({
        changes: z
          .array(z.object({ id: anyId(), status: z.enum(USER_STATUSES) }))
          .min(1, 'must not be empty')
          .max(MAX_CHANGES, `must have at most ${MAX_CHANGES} entries`)
          .superRefine((changes, context) => {
            const seen = new Set<string>();
            for (const [i, { id }] of changes.entries()) {
              if (seen.has(id))
                context.addIssue({ code: 'custom', path: [i, 'id'], message: 'must stand there only once' });
              seen.add(id);
            }
          }),
      }),
    },
    responses: {
      200: {
        description: 'The results, in the order of the changes.',
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
              code: z.enum(['not_found']),
              message: shown('There is no such finding.', 'For people; it may change.'),
            }),
          ),
        }),
      },
    },
  },
  async ({ body: { changes }, now, org: { tables }, sql }) => {
    const possible = changes.filter(({ id }) => isId(id));
    const changed = await setFindingStatuses(sql, tables, possible, now);
    const byId = new Map(changed.map((finding) => [finding.id, finding]));
    return ok({
      updated: changes.flatMap(({ id }) => byId.get(id) ?? []),
      failed: changes
        .filter(({ id }) => !byId.has(id))
        .map(({ id }) => ({ id, code: 'not_found' as const, message: 'There is no such finding.' })),
    });
  },
);
