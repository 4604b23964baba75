import type { DeletionRow } from '../../db/deletions/list.ts';
import { DELETION_STATES, PERSONAS } from '../../db/schema/values.ts';
import { count, id, shown, timestamp, z } from '../schema.ts';

/** How long a deletion can be undone. */
export const UNDO_DAYS = 30;
const DAY_MS = 24 * 60 * 60_000;

/** Older deletions cannot be undone. */
export const deletionsSince = (now: Date): Date => new Date(now.getTime() - UNDO_DAYS * DAY_MS);

const SHOWN_STATES = DELETION_STATES.filter((state) => state !== 'purging');

export const Deletion = z
  .object({
    id: id(),
    at: timestamp(),
    actor_id: id().openapi({ description: 'The user or token that deleted.' }),
    state: z.enum(SHOWN_STATES).openapi({
      example: 'deleted',
      description: '`deleting` and `restoring` are in progress.',
    }),
    selected: count(120).openapi({ description: 'How many findings the request selected.' }),
    findings: count(118).openapi({
      description:
        'How many of them were deleted so far. Findings that somebody decided about after the request stay.',
    }),
    restored: count(0).openapi({ description: 'How many of those were restored so far.' }),
    scan: z
      .object({
        id: shown('01890a5d-ac96-774b-bcce-b302099a8057'),
        name: shown('Nightly audit'),
        project_id: id(),
        persona: z.enum(PERSONAS),
        created_at: timestamp(),
        sources: z
          .array(z.string())
          .optional()
          .openapi({ example: ['semgrep'] }),
      })
      .optional()
      .openapi({ description: 'The deleted scan. Absent if findings were deleted without a scan.' }),
    undo_until: timestamp().openapi({ description: 'The deletion can be undone until then.' }),
  })
  .openapi('Deletion');

export function toDeletion({ scan, at, state, ...row }: DeletionRow): z.output<typeof Deletion> {
  const time = new Date(at);
  // An empty source stands for findings without one.
  const sources = scan?.sources?.filter((source) => source !== '') ?? [];
  return {
    ...row,
    at: time.toISOString(),
    // A deletion that is purged is not read.
    state: state as (typeof SHOWN_STATES)[number],
    undo_until: new Date(time.getTime() + UNDO_DAYS * DAY_MS).toISOString(),
    ...(scan && {
      scan: {
        ...{ id: scan.id, name: scan.name, project_id: scan.project_id },
        persona: scan.persona,
        created_at: new Date(scan.created_at).toISOString(),
        ...(sources.length > 0 && { sources }),
      },
    }),
  };
}
