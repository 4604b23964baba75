import { and, inArray, ne } from 'drizzle-orm';
import type { Tx } from '../client.ts';
import type { OrgTables } from '../schema/org.ts';

/**
 * Takes slugs that a project has got or had from others that had them before: the former slug of one leads to it until another one
 * gets it, also when that one is deleted later. Part of the transaction that creates or renames the project.
 */
export async function takeFormerSlugs(
  tx: Tx,
  { projects }: OrgTables,
  { id, slugs }: { id: string; slugs: readonly string[] },
): Promise<void> {
  await tx
    .update(projects)
    .set({ formerSlug: null })
    .where(and(inArray(projects.formerSlug, slugs), ne(projects.id, id)));
}
