import { and, eq, inArray } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { noteAcceptedRisks } from '../../../db/findings/triage/accepted-risks.ts';
import type { FindingChange } from '../../../db/findings/triage/triage.ts';
import type { Sql } from '../../../db/pool/query.ts';
import { readProjectRoles } from '../../../db/projects/members.ts';
import type { Projects } from '../../../db/projects/reach.ts';
import { userEmails } from '../../../db/schema/accounts.ts';
import type { OrgTables } from '../../../db/schema/org.ts';
import { memberships } from '../../../db/schema/orgs.ts';
import { FINDING_STATUSES, TRIAGE_REASONS } from '../../../db/schema/values.ts';
import type { Config } from '../../config/config.ts';
import { ApiError } from '../../errors.ts';
import { hasAccess, isLimited, reachOneOf } from '../../members/fields.ts';
import type { Org } from '../../orgs/directory.ts';
import type { Reaching } from '../../projects/reach.ts';
import { optional, removable, text, time, uuid, z } from '../../schema.ts';
import { USER_STATUSES } from '../input.ts';

const MAX_NOTE = 10_000;

/** The fields of a change of a finding, besides its id. Null removes a value, except a note. */
export const changeShape = {
  status: z.enum(USER_STATUSES).optional(),
  reason: removable(z.enum(TRIAGE_REASONS)).openapi({
    enum: [...TRIAGE_REASONS, null],
    description: 'Why the finding has its status. A new status without a reason has none.',
  }),
  note: optional(text({ min: 1, max: MAX_NOTE, trim: true, example: 'Only reachable from tests.' })).openapi({
    description: 'Shown in the activity.',
  }),
  assignee_id: removable(uuid()).openapi({ description: 'A member of the organization.' }),
  due_at: removable(time()),
  accepted_until: removable(time()).openapi({
    description: 'When the finding is `open` again. Only with the status `wontfix`.',
  }),
  if_status: z
    .enum(FINDING_STATUSES)
    .optional()
    .openapi({ description: 'A finding with another status is not changed.' }),
};

type ChangeInput = Omit<FindingChange, 'id'>;

const CHANGES = ['status', 'reason', 'note', 'assignee_id', 'due_at', 'accepted_until'] as const;

/** Refuses a change of nothing, and an accepted risk with another status. */
export function checkChange(change: ChangeInput, context: z.RefinementCtx): void {
  if (CHANGES.every((name) => change[name] === undefined))
    context.addIssue({ code: 'custom', path: ['status'], message: 'is required' });
  if (change.accepted_until && change.status !== 'wontfix')
    context.addIssue({
      code: 'custom',
      path: ['accepted_until'],
      message: 'is possible only with the status wontfix',
    });
}

const EXAMPLE = { status: 'false_positive', reason: 'used_in_tests', note: 'Only reachable from tests.' };

export const FindingChanges = z
  .object(changeShape)
  .superRefine(checkChange)
  .openapi('FindingChanges', { example: EXAMPLE });

/** The projects of findings that exist. */
export async function projectsOfFindings(
  { db, org }: { db: Db; org: { tables: OrgTables } },
  ids: readonly string[],
): Promise<Map<string, string>> {
  const { findings: f } = org.tables;
  const found = await db
    .select({ id: f.id, projectId: f.projectId })
    .from(f)
    .where(inArray(f.id, [...ids]));
  return new Map(found.map(({ id, projectId }) => [id, projectId]));
}

/** A change with its path in the request. */
interface CheckedChange {
  change: ChangeInput;
  path: string;
  /** The finding that it changes, or the projects whose findings it may change. Unset: none. */
  of?: { finding: string } | { projects: Projects };
}

/**
 * Checks what depends on the time and on the organization's members. A member whose access is limited to projects can be assigned there
 * only. For a limited caller, members of other projects only are no members.
 * @throws ApiError `validation_error/field_invalid`
 */
export async function requireChanges(
  context: Reaching & { db: Db; now: Date; org: Org; sql: Sql },
  settings: Pick<Config, 'pendingInvitations'>,
  changes: readonly CheckedChange[],
): Promise<void> {
  const { db, now, org, reach } = context;
  const past = changes.find(
    ({ change }) => change.accepted_until && Date.parse(change.accepted_until) <= now.getTime(),
  );
  if (past) throw invalid(`${past.path}accepted_until`, 'must be in the future');
  const ids = [...new Set(changes.flatMap(({ change }) => change.assignee_id ?? []))];
  if (ids.length === 0) return;
  const isShown = reach && (await reachOneOf(db, org.tables, [...reach.roles.keys()]));
  const members = await db
    .select({ id: memberships.userId, isLimited })
    .from(memberships)
    .innerJoin(userEmails, and(eq(userEmails.userId, memberships.userId), eq(userEmails.isPrimary, true)))
    .where(
      and(eq(memberships.orgId, org.id), inArray(memberships.userId, ids), hasAccess(settings), isShown),
    );
  const known = new Set(members.map(({ id }) => id));
  const unknown = changes.find(({ change }) => change.assignee_id && !known.has(change.assignee_id));
  if (unknown) throw invalid(`${unknown.path}assignee_id`, 'is not a member of the organization');
  const limited = members.flatMap((member) => (member.isLimited ? member.id : []));
  if (limited.length > 0) await requireReaching(context, limited, changes);
}

async function requireReaching(
  call: { db: Db; org: Org; sql: Sql },
  limited: readonly string[],
  changes: readonly CheckedChange[],
): Promise<void> {
  const assigning = changes.filter(({ change }) => limited.includes(change.assignee_id ?? ''));
  const ids = assigning.flatMap(({ of }) => (of && 'finding' in of ? of.finding : []));
  const [assigned, projectOf] = await Promise.all([
    readProjectRoles(call.sql, call.org.tables, limited),
    projectsOfFindings(call, ids),
  ]);
  for (const { change, path, of } of assigning) {
    if (of === undefined) continue;
    const reached = assigned.get(change.assignee_id ?? '');
    const project = 'finding' in of ? projectOf.get(of.finding) : undefined;
    if (project && !reached?.has(project))
      throw invalid(`${path}assignee_id`, 'does not reach the project of the finding');
    if ('projects' in of && !of.projects?.every((id) => reached?.has(id)))
      throw invalid(
        `${path}assignee_id`,
        'does not reach every project that the filter covers; set project_id',
      );
  }
}

/** Notes which risks will be accepted until when, before the findings are changed. */
export async function noteRisks(
  { now, org, sql }: { now: Date; org: Org; sql: Sql },
  changes: readonly Pick<FindingChange, 'id' | 'accepted_until'>[],
): Promise<void> {
  const risks = changes.flatMap(({ id, accepted_until }) => (accepted_until ? { id, accepted_until } : []));
  if (risks.length > 0) await noteAcceptedRisks(sql, org, risks, now);
}

const invalid = (field: string, message: string) =>
  new ApiError('validation_error/field_invalid', { details: [{ field, message }] });
