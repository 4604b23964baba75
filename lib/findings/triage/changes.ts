import type { FindingChange } from '../../../db/findings/triage/triage.ts';
import type { Role } from '../../../db/schema/orgs.ts';
import { type ChangedFields, FINDING_STATUSES, TRIAGE_REASONS } from '../../../db/schema/values.ts';
import { count, EXAMPLE_ID, id, removable, shown, timestamp, z } from '../../schema.ts';

/** How long a change can be undone. */
export const UNDO_DAYS = 30;
const DAY_MS = 24 * 60 * 60_000;

/** Older changes cannot be undone. */
export const undoableSince = (now: Date): Date => new Date(now.getTime() - UNDO_DAYS * DAY_MS);

/** Whether a caller of the role `member` or above may undo a change of an actor. @param actorId null for the service */
export const mayUndo = (
  { actor, role }: { actor: { id: string }; role: Role },
  actorId: string | null,
): boolean => actorId === actor.id || role !== 'member';

const FIELDS = ['reason', 'assignee_id', 'due_at', 'accepted_until'] as const;

/** The new values that all changes have in common. */
export function commonFields(changes: readonly Omit<FindingChange, 'id'>[]): ChangedFields {
  const [first, ...others] = changes;
  const isCommon = (field: 'status' | (typeof FIELDS)[number]) =>
    others.every((change) => change[field] === first?.[field]);
  return {
    ...(first?.status && isCommon('status') && { status: { to: first.status } }),
    ...Object.fromEntries(FIELDS.flatMap((field) => (isCommon(field) ? [[field, first?.[field]]] : []))),
  };
}

export const RecentChange = z
  .object({
    id: id(),
    at: timestamp(),
    actor: z
      .object({
        type: z.enum(['user', 'token', 'rule', 'system']),
        id: id().optional(),
        name: shown('Ada Lovelace').optional(),
      })
      .openapi({
        description: '`system` is the service, without an id. A user whose account was deleted has no name.',
      }),
    findings: count(3).openapi({ description: 'How many findings were changed.' }),
    finding_id: shown(EXAMPLE_ID, 'The first of them that exists. Absent if all were deleted.')
      .openapi({ format: 'uuid' })
      .optional(),
    title: shown('SQL injection in search', 'The title of that finding.').optional(),
    what: z
      .object({
        status: z.object({ to: z.enum(FINDING_STATUSES) }).optional(),
        reason: removable(z.enum(TRIAGE_REASONS)).openapi({ enum: [...TRIAGE_REASONS, null] }),
        assignee_id: removable(id()),
        due_at: removable(timestamp()),
        accepted_until: removable(timestamp()),
      })
      .openapi({
        description: 'The new values that all findings have in common. Null: the value was removed.',
        example: { status: { to: 'false_positive' }, reason: 'used_in_tests' },
      }),
    undone_at: timestamp().optional(),
    can_undo: z.boolean().openapi({ example: true, description: 'Whether the caller may undo it.' }),
  })
  .openapi('RecentChange');
