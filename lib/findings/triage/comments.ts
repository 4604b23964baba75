import { and, inArray, type SQL } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { type ActivityEntry, hasComment } from '../../../db/findings/triage/activity.ts';
import type { Sql } from '../../../db/pool/query.ts';
import { toResource } from '../../../db/resources.ts';
import type { OrgTables } from '../../../db/schema/org.ts';
import { memberships } from '../../../db/schema/orgs.ts';
import type { Config } from '../../config/config.ts';
import { ApiError } from '../../errors.ts';
import { listMembers, reachOneOf } from '../../members/fields.ts';
import { type MentionedMember, mentionedIds } from './mentions.ts';
import { projectsOfFindings } from './triage.ts';

/** The members among some ids, with the names that the organization sees. Pending and suspended members are left out. */
export async function membersOf(
  { db, now, org }: { db: Db; now: Date; org: { id: string } },
  config: Pick<Config, 'pendingInvitations'>,
  ids: readonly string[],
  where?: SQL,
): Promise<MentionedMember[]> {
  if (ids.length === 0) return [];
  const isOne = inArray(memberships.userId, [...ids]);
  const members = await listMembers(db, { config, now }, org.id, and(isOne, where));
  return members
    .filter(({ pending, suspended }) => !pending && !suspended)
    .map(({ user_id: id, name }) => ({ id, name }));
}

/** The members whom a comment on a finding mentions. Members who do not reach its project are ignored, like strangers. */
export async function mentionedMembers(
  call: { db: Db; now: Date; org: { id: string; tables: OrgTables } },
  config: Pick<Config, 'pendingInvitations'>,
  { findingId, body }: { findingId: string; body: string },
): Promise<MentionedMember[]> {
  const ids = mentionedIds(body);
  if (ids.length === 0) return [];
  const projects = await projectsOfFindings(call, [findingId]);
  return membersOf(call, config, ids, await reachOneOf(call.db, call.org.tables, [...projects.values()]));
}

/** The mentions of an entry as the API shows them. */
export const shownMentions = (mentions: readonly MentionedMember[]) =>
  mentions.length > 0 ? { mentions: [...mentions] } : {};

/** Entries as the API shows them. Former members are not shown as mentions. */
export async function shownEntries<Entry extends ActivityEntry>(
  call: Parameters<typeof membersOf>[0],
  config: Pick<Config, 'pendingInvitations'>,
  entries: readonly Entry[],
) {
  // One more statement, only for pages with mentions.
  const ids = new Set(entries.flatMap(({ mentions }) => mentions ?? []));
  const members = await membersOf(call, config, [...ids]);
  return entries.map(({ actor, mentions, scan, ...entry }) => ({
    ...toResource(entry),
    actor: toResource(actor),
    ...(scan && { scan: toResource(scan) }),
    ...shownMentions(members.filter(({ id }) => mentions?.includes(id))),
  }));
}

/**
 * Waits for a change that only the author of a comment can make.
 * @throws ApiError `permission_error/denied` if somebody else wrote the comment, `resource_error/not_found` if it does not exist
 */
export async function requireAuthor<Changed>(
  { org, sql }: { org: { tables: OrgTables }; sql: Sql },
  comment: { findingId: string; id: string },
  change: Promise<Changed>,
): Promise<NonNullable<Changed>> {
  const changed = await change;
  if (changed) return changed;
  if (!(await hasComment(sql, org.tables, comment))) throw new ApiError('resource_error/not_found');
  throw new ApiError('permission_error/denied', { message: 'Only the author may change a comment.' });
}
