import { eq } from 'drizzle-orm';
import type { Db } from '../db/client.ts';
import type { ApiToken } from './auth/api-tokens.ts';
import { ApiError } from './http/errors.ts';
import type { Org } from './orgs.ts';

/** A project's slug: 2 to 50 lower-case letters, digits and hyphens, no hyphen at either end. */
export const PROJECT_SLUG = /^[a-z0-9](?:[a-z0-9-]{0,48}[a-z0-9])$/;

/** @throws ApiError `resource_error/not_found` */
export async function requireProject(
  db: Db,
  { tables: { projects } }: Org,
  projectId: string,
): Promise<void> {
  const [project] = await db.select({ id: projects.id }).from(projects).where(eq(projects.id, projectId));
  if (!project) throw new ApiError('resource_error/not_found', { message: 'There is no such project.' });
}

/** @throws ApiError `token_error/scope_mismatch` when the token is of another project */
export function requireScope(token: ApiToken, projectId: string): void {
  if (token.projectId !== null && token.projectId !== projectId)
    throw new ApiError('token_error/scope_mismatch');
}
