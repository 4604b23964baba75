import { and, asc, gt, gte } from 'drizzle-orm';
import { purgeChanges, purgeRuleChanges } from '../../../db/findings/changes/purge.ts';
import type { FindingChange } from '../../../db/findings/triage/triage.ts';
import { orgs } from '../../../db/schema/orgs.ts';
import { type ChangedFields, FINDING_STATUSES, TRIAGE_REASONS } from '../../../db/schema/values.ts';
import { count, EXAMPLE_ID, id, removable, shown, timestamp, z } from '../../http/schema.ts';
import type { Services } from '../../services.ts';

/** How long a change can be undone. */
export const UNDO_DAYS = 30;
const DAY_MS = 24 * 60 * 60_000;
const PAGE = 500;

/** Older changes cannot be undone. */
export const undoableSince = (now: Date): Date => new Date(now.getTime() - UNDO_DAYS * DAY_MS);

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
    actor: z.object({ type: z.enum(['user', 'token', 'rule']), id: id(), name: shown('Ada Lovelace') }),
    findings: count(3).openapi({ description: 'How many findings were changed.' }),
    finding_id: shown(EXAMPLE_ID, 'The first of them.').openapi({ format: 'uuid' }),
    title: shown('SQL injection in search', 'The title of the first finding.'),
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
  })
  .openapi('RecentChange');

/** Deletes changes that can no longer be undone, by users and by rules. */
export async function purgeOldChanges({
  database: { db, sql },
  knownOrgs,
  orgMigrations,
  clock,
}: Pick<Services, 'database' | 'knownOrgs' | 'orgMigrations' | 'clock'>): Promise<void> {
  const before = undoableSince(clock());
  let last: string | undefined;
  for (;;) {
    const page = await db
      .select({ id: orgs.id })
      .from(orgs)
      .where(and(gte(orgs.schemaVersion, orgMigrations.length), last ? gt(orgs.id, last) : undefined))
      .orderBy(asc(orgs.id))
      .limit(PAGE);
    for (const org of page) {
      const tables = knownOrgs.tablesOf(org);
      await purgeChanges(sql, tables, before);
      await purgeRuleChanges(sql, tables);
    }
    last = page.at(-1)?.id;
    if (page.length < PAGE) return;
  }
}
