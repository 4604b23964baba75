import type { ActivityFilter } from '../../../db/findings/triage/org-activity.ts';
import { EVENT_KINDS, SEVERITIES, STORED_EVENT_KINDS, TRIAGE_REASONS } from '../../../db/schema/values.ts';
import { projectsAmong, type Reaching } from '../../projects/reach.ts';
import { anyOf, id, shown, text, timestamp, uuid, z } from '../../schema.ts';
import { moment, projectIds } from '../filter/parameters.ts';

const MAX_COMMENT = 10_000;

export const ActivityEntry = z
  .object({
    id: id(),
    at: timestamp(),
    kind: z.enum(EVENT_KINDS),
    actor: z
      .object({
        type: z.enum(['user', 'token', 'rule', 'system']),
        id: id().optional(),
        name: shown('Ada Lovelace').optional(),
      })
      .openapi({ description: 'A user whose account was deleted has no name.' }),
    from: shown(
      'open',
      'Before the change: a status, a severity, a user id, a time, a fingerprint (`matched`) or a place (`moved`). The status `regressed`: the finding had regressed, and was resolved again with the status that it had.',
    ).optional(),
    to: shown('fixed', 'After the change; the file name of an exploit.').optional(),
    reason: z.enum(TRIAGE_REASONS).optional(),
    note: shown(
      'Only reachable from tests.',
      "The actor's remark, or the text of a comment in Markdown.",
    ).optional(),
    scan: z
      .object({
        id: shown('01890a5d-ac96-774b-bcce-b302099a8057'),
        name: shown('Nightly audit').optional(),
        ref: shown('main').optional(),
      })
      .optional()
      .openapi({
        description:
          'The scan that caused it. A deleted one has an `id` only. Absent in entries of earlier versions.',
      }),
    edited_at: timestamp()
      .optional()
      .openapi({ description: 'When the comment was last edited. Absent if it was not.' }),
    mentions: z
      .array(z.object({ id: id(), name: shown('Grace Hopper') }))
      .optional()
      .openapi({ description: 'The members that the comment mentions. Absent if it mentions none.' }),
  })
  .openapi('ActivityEntry');

/** Not `extend`, which would refer to the schema of an entry in an `allOf`. */
export const OrgActivityEntry = z
  .object({
    ...ActivityEntry.shape,
    finding: z.object({
      id: id(),
      title: shown('SQL injection in search'),
      severity: z.enum(SEVERITIES),
      project_id: id(),
    }),
  })
  .openapi('OrgActivityEntry');

/** The filters of the activity of all findings. */
export const activityShape = {
  actor: (z.union([z.enum(['me', 'system']), uuid()]) as unknown as z.ZodType<string, string>)
    .optional()
    .openapi({
      type: 'string',
      example: 'me',
      description: 'The id of a user, a token or a rule, `me` for the caller, or `system` for the service.',
    }),
  project_id: projectIds('Entries of findings of these projects.').optional(),
  kind: anyOf(STORED_EVENT_KINDS).optional(),
  from: moment('At this time or later.').optional(),
  to: moment('Before this time.').optional(),
};

/** The filter of a caller, limited to the projects that the caller reaches. */
export function activityFilter(
  caller: Reaching & { actor: { id: string } },
  { actor, project_id, kind: kinds, from, to }: z.output<z.ZodObject<typeof activityShape>>,
): ActivityFilter {
  const projectIds = projectsAmong(caller, project_id);
  const actorId = actor === 'me' ? caller.actor.id : actor === 'system' ? null : actor;
  return { actorId, projectIds, kinds, from, to };
}

export const CommentInput = z.object({
  body: text({ min: 1, max: MAX_COMMENT, trim: true, example: 'Can we fix this in **2.4**?' }).openapi({
    description: 'Markdown. `@[Grace Hopper](user-id)` mentions a member.',
  }),
});
