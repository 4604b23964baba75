import { and, eq, not, or, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { Db, Tx } from '../../db/client.ts';
import type { OrgTables } from '../../db/schema/org.ts';
import type { Role } from '../../db/schema/orgs.ts';
import { arrayText } from '../../db/statements.ts';
import { ApiError } from '../errors.ts';
import type { Reach, Reaching } from '../projects/reach.ts';
import { id, shown, text, timestamp, z } from '../schema.ts';

export const MAX_VIEWS = 100;

export const View = z
  .object({
    id: id(),
    name: shown('Critical and unassigned'),
    query: shown('severity=critical&status=open', 'Parameters of `GET /findings`.'),
    shared: z.boolean().openapi({ example: true, description: 'Whether all members see it.' }),
    owner_id: id(),
    created_at: timestamp(),
  })
  .openapi('View');

/** The fields of a view, besides its query. */
export const viewShape = {
  name: text({ min: 1, max: 100, trim: true, example: 'Critical and unassigned' }),
  shared: z.boolean().openapi({ example: true, description: 'Whether all members see it.' }),
};

/** @throws ApiError `permission_error/denied` if a viewer shares a view */
export function requireSharing(role: Role, shared: boolean | undefined): void {
  if (shared && role === 'viewer')
    throw new ApiError('permission_error/denied', { message: 'Viewers cannot share views.' });
}

/** The caller as far as views depend on it. */
type Viewer = Reaching & { actor: { id: string }; org: { tables: OrgTables } };

/** The views that a caller sees. A shared one that may name a project that the caller does not reach is hidden. */
export function isVisible({ actor, org, reach }: Viewer): SQL | undefined {
  const { savedViews: v } = org.tables;
  return or(
    eq(v.ownerId, actor.id),
    reach === undefined ? v.shared : and(v.shared, namesOnly(v.query, reach)),
  );
}

/** Whether a query names no other projects and no scans. A name or an id that is written in an unusual way counts as another one. */
const namesOnly = (query: SQLWrapper, { ids }: Reach): SQL => sql`not exists (
  select from unnest(string_to_array(${query}, '&')) as part(text)
  cross join lateral (values (ltrim(split_part(text, '=', 1), '?'), lower(split_part(text, '=', 2)))) as given(name, value)
  where name like '%\\%%' or name in ('scan_id', 'against')
    or (name = 'project_id' and not string_to_array(replace(value, '%2c', ','), ',') <@ ${arrayText(ids)}::text[]))`;

/**
 * The views that a member may change. A viewer, who may have been a member before, cannot change what others see.
 * @param shared whether the view is shared after the change
 */
export function isChangeable(
  { actor, role }: { actor: { id: string }; role: Role },
  { savedViews: v }: OrgTables,
  shared?: boolean,
): SQL | undefined {
  const isOwn = eq(v.ownerId, actor.id);
  if (role === 'owner' || role === 'admin') return or(isOwn, v.shared);
  return role === 'viewer' && shared !== false ? and(isOwn, not(v.shared)) : isOwn;
}

/** The error for a view that the caller cannot change: `permission_error/denied` if it is visible, else `not_found`. */
export async function unchangeable(call: Viewer & { db: Db }, viewId: string): Promise<ApiError> {
  const { savedViews: v } = call.org.tables;
  const [visible] = await call.db
    .select({ id: v.id })
    .from(v)
    .where(and(eq(v.id, viewId), isVisible(call)));
  if (!visible) return new ApiError('resource_error/not_found');
  const message = 'Only the owner of the view, unless a viewer, and admins may change it.';
  return new ApiError('permission_error/denied', { message });
}

/** Deletes the private views of a member who leaves, in the transaction that ends the membership. */
export async function deletePrivateViews(
  tx: Tx,
  { savedViews: v }: OrgTables,
  userId: string,
): Promise<void> {
  await tx.delete(v).where(and(eq(v.ownerId, userId), eq(v.shared, false)));
}
