import { inArray } from 'drizzle-orm';
import { hasComment } from '../../../db/findings/triage/activity.ts';
import { memberships } from '../../../db/schema/orgs.ts';
import { ApiError } from '../../errors.ts';
import type { OrgCall } from '../../http/call.ts';
import { selectMembers } from '../../members/fields.ts';
import type { MentionedMember } from './mentions.ts';

/** The members among some ids, with the names that the organization sees. A pending invitation is no member yet. */
export async function membersOf(
  { db, org, services }: Pick<OrgCall, 'db' | 'org' | 'services'>,
  ids: readonly string[],
): Promise<MentionedMember[]> {
  if (ids.length === 0) return [];
  const members = await selectMembers(db, services.config, org.id, inArray(memberships.userId, [...ids]));
  return members.filter(({ pending }) => !pending).map(({ user_id: id, name }) => ({ id, name }));
}

/** The mentions of an entry as the API shows them. */
export const shownMentions = (mentions: readonly MentionedMember[]) =>
  mentions.length > 0 ? { mentions: [...mentions] } : {};

/**
 * Waits for a change that only the author of a comment can make.
 * @throws ApiError `permission_error/denied` if somebody else wrote the comment, `resource_error/not_found` if it does not exist
 */
export async function requireAuthor<Changed>(
  { org, sql }: OrgCall,
  comment: { findingId: string; id: string },
  change: Promise<Changed>,
): Promise<NonNullable<Changed>> {
  const changed = await change;
  if (changed) return changed;
  if (!(await hasComment(sql, org.tables, comment))) throw new ApiError('resource_error/not_found');
  throw new ApiError('permission_error/denied', { message: 'Only the author may change a comment.' });
}
