import { and, eq, inArray } from 'drizzle-orm';
import type { Db, Tx } from '../../db/client.ts';
import { isPresent } from '../../db/projects/deletion.ts';
import { destinations as t } from '../../db/schema/destinations.ts';
import type { OrgTables } from '../../db/schema/org.ts';
import { ApiError } from '../errors.ts';
import { readRoles, requireAdmin } from '../members/owners.ts';
import { type DestinationGroup, type DestinationRow, MAX_DESTINATIONS } from './groups.ts';

const isOf = (orgId: string, { kinds }: DestinationGroup) =>
  and(eq(t.orgId, orgId), inArray(t.kind, [...kinds]));

/** The destinations of an organization that are of a group, the oldest first. */
export const readDestinations = (db: Db, orgId: string, group: DestinationGroup): Promise<DestinationRow[]> =>
  db.select().from(t).where(isOf(orgId, group)).orderBy(t.createdAt, t.id);

/** @throws ApiError `resource_error/not_found` */
export async function requireDestination(
  db: Db | Tx,
  orgId: string,
  group: DestinationGroup,
  id: string,
): Promise<DestinationRow> {
  const [row] = await db
    .select()
    .from(t)
    .where(and(isOf(orgId, group), eq(t.id, id)));
  if (!row) throw new ApiError('resource_error/not_found');
  return row;
}

/** Requires that the caller is still an admin who reaches all projects. Call it after `lockOrg`. */
export async function requireStillAdmin(tx: Tx, orgId: string, userId: string): Promise<void> {
  requireAdmin((await readRoles(tx, orgId, { caller: userId, member: userId })).own);
}

/** @throws ApiError `resource_error/conflict` */
export function requireEnabled({ noun }: DestinationGroup, { enabled }: DestinationRow): void {
  if (!enabled)
    throw new ApiError('resource_error/conflict', { message: `The ${noun} is disabled. Enable it first.` });
}

/** Refuses one more destination than an organization can have of a group. Call it after `lockOrg`. */
export async function requireRoom(tx: Tx, orgId: string, group: DestinationGroup): Promise<void> {
  if ((await tx.$count(t, isOf(orgId, group))) < MAX_DESTINATIONS) return;
  throw new ApiError('resource_error/conflict', {
    message: `An organization can have at most ${MAX_DESTINATIONS} ${group.path}. Delete one first.`,
  });
}

/** @throws ApiError `validation_error/field_invalid` if the service does not connect to an address */
export function requireAddress(refusal: string | undefined): void {
  if (refusal === undefined) return;
  throw new ApiError('validation_error/field_invalid', { details: [{ field: 'url', message: refusal }] });
}

/**
 * @param field that names the projects
 * @param kept projects that the destination names already, which may be deleted by now
 * @throws ApiError `validation_error/field_invalid` if a project does not exist
 */
export async function requireProjects(
  tx: Tx,
  tables: OrgTables,
  field: 'muted_project_ids' | 'project_ids',
  projectIds: readonly string[] | null | undefined,
  kept: readonly string[] | null = [],
): Promise<void> {
  if (!projectIds) return;
  const { projects } = tables;
  const found = await tx
    .select({ id: projects.id })
    .from(projects)
    .where(and(inArray(projects.id, [...projectIds]), isPresent(tables)));
  const known = new Set([...(kept ?? []), ...found.map(({ id }) => id)]);
  const i = projectIds.findIndex((projectId) => !known.has(projectId));
  if (i < 0) return;
  throw new ApiError('validation_error/field_invalid', {
    details: [{ field: `${field}.${i}`, message: 'is not a project of the organization' }],
  });
}
