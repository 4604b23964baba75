import { EVENT_KINDS, TRIAGE_REASONS } from '../../../db/schema/values.ts';
import { id, shown, text, timestamp, z } from '../../schema.ts';

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
      'Before the change: a status, a severity, a user id, a time, a fingerprint (`matched`) or a place (`moved`).',
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

export const CommentInput = z.object({
  body: text({ min: 1, max: MAX_COMMENT, trim: true, example: 'Can we fix this in **2.4**?' }).openapi({
    description: 'Markdown. `@[Grace Hopper](user-id)` mentions a member.',
  }),
});
