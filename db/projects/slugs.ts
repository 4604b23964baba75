import { and, eq, ne } from 'drizzle-orm';
import type { Tx } from '../client.ts';
import type { OrgTables } from '../schema/org.ts';

/**
 * Takes the former slug of a project that was renamed from others that had it before, so that it leads to one project: the one that
 * had it last. Part of the transaction that renames the project.
 */
export async function takeFormerSlug(
  tx: Tx,
  { projects }: OrgTables,
  { id, slug }: { id: string; slug: string },
): Promise<void> {
  await tx
    .update(projects)
    .set({ formerSlug: null })
    .where(and(eq(projects.formerSlug, slug), ne(projects.id, id)));
}
