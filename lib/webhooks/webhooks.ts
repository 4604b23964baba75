import { and, eq, inArray } from 'drizzle-orm';
import type { Db, Tx } from '../../db/client.ts';
import { isPresent } from '../../db/projects/deletion.ts';
import { destinations as t } from '../../db/schema/destinations.ts';
import type { OrgTables } from '../../db/schema/org.ts';
import { ApiError } from '../errors.ts';
import { readRoles, requireAdmin } from '../members/owners.ts';
import { MAX_WEBHOOKS } from './fields.ts';

type Row = typeof t.$inferSelect;

const isWebhook = (orgId: string) => and(eq(t.orgId, orgId), eq(t.kind, 'webhook'));

/** The webhooks of an organization, the oldest first. */
export const readWebhooks = (db: Db, orgId: string): Promise<Row[]> =>
  db.select().from(t).where(isWebhook(orgId)).orderBy(t.createdAt, t.id);

/** @throws ApiError `resource_error/not_found` */
export async function requireWebhook(db: Db | Tx, orgId: string, webhookId: string): Promise<Row> {
  const [row] = await db
    .select()
    .from(t)
    .where(and(isWebhook(orgId), eq(t.id, webhookId)));
  if (!row) throw new ApiError('resource_error/not_found');
  return row;
}

/** Requires that the caller is still an admin who reaches all projects. Call it after `lockOrg`. */
export async function requireStillAdmin(tx: Tx, orgId: string, userId: string): Promise<void> {
  requireAdmin((await readRoles(tx, orgId, { caller: userId, member: userId })).own);
}

/** @throws ApiError `resource_error/conflict` */
export function requireEnabled({ enabled }: Row): void {
  if (!enabled)
    throw new ApiError('resource_error/conflict', { message: 'The webhook is disabled. Enable it first.' });
}

/** Refuses one more webhook than an organization can have. Call it after `lockOrg`. */
export async function requireRoomForWebhook(tx: Tx, orgId: string): Promise<void> {
  if ((await tx.$count(t, isWebhook(orgId))) < MAX_WEBHOOKS) return;
  throw new ApiError('resource_error/conflict', {
    message: `An organization can have at most ${MAX_WEBHOOKS} webhooks. Delete one first.`,
  });
}

/** @throws ApiError `validation_error/field_invalid` if the service does not connect to an address */
export function requireAddress(refusal: string | undefined): void {
  if (refusal === undefined) return;
  throw new ApiError('validation_error/field_invalid', { details: [{ field: 'url', message: refusal }] });
}

/**
 * @param kept projects that the webhook has already, which may be deleted by now
 * @throws ApiError `validation_error/field_invalid` if a project does not exist
 */
export async function requireProjects(
  tx: Tx,
  tables: OrgTables,
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
    details: [{ field: `project_ids.${i}`, message: 'is not a project of the organization' }],
  });
}
