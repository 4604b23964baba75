import type { AuditRow } from '../../db/events/details.ts';
import { toResource } from '../../db/resources.ts';
import { type Audience, reaches } from './audience.ts';
import { isInGroup } from './types.ts';

/** The fields of a project that everybody reads who reaches it. */
const FIELDS_FOR_ALL = new Set([
  ...['name', 'slug', 'close_after_scans', 'default_ref', 'tracked_refs', 'source_url'],
]);

const knownToAll = (changes: AuditRow['changes']): AuditRow['changes'] =>
  Object.fromEntries(Object.entries(changes).filter(([field]) => FIELDS_FOR_ALL.has(field)));

/**
 * The data of an event of the audit log: the whole entry for whoever asks for the log, for others without address, user agent and request.
 * @returns undefined if the audience does not hear of it
 */
export function auditData(
  event: string,
  entry: AuditRow | undefined,
  audience: Audience,
): object | undefined {
  if (!entry) return undefined;
  const { target_type: type, target_id, target_name, actor_type, actor_id, actor_name, changes } = entry;
  const { ip, user_agent, request_id } = entry;
  const { isAdmin, projects, wantsAuditLog } = audience;
  const isWhole = isAdmin && wantsAuditLog === true;
  if (!isWhole && !isInGroup(event)) return undefined;
  // An assignment to a project has a member as its target.
  const isOfProject = type === 'project' && (isAdmin || !event.startsWith('project.transfer_'));
  const hears = isOfProject ? reaches(audience, target_id ?? '') : isAdmin && projects === undefined;
  if (!hears) return undefined;
  // Others can read neither the audit log nor the list of tokens.
  const isNamed = isAdmin || actor_type !== 'token';
  return {
    actor: toResource({ type: actor_type, id: actor_id, name: isNamed ? actor_name : null }),
    target: toResource({ type, id: target_id, name: target_name }),
    changes: isAdmin ? changes : knownToAll(changes),
    ...(isWhole && toResource({ ip, user_agent, request_id })),
  };
}
