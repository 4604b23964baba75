import { and, eq, inArray, ne, not, type SQL } from 'drizzle-orm';
import type { Tx } from '../client.ts';
import type { OrgTables } from '../schema/org.ts';
import { isPresent } from './deletion.ts';
import { within } from './reach.ts';

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

/** Whether a project that is not one of `projects` would lose the slug, because it had it before. Part of the same transaction. */
export async function isFormerSlugOfOthers(
  tx: Tx,
  tables: OrgTables,
  slug: string,
  projects: readonly string[],
): Promise<boolean> {
  const { id, formerSlug } = tables.projects;
  const isOther = not(within(id, projects) as SQL);
  const [found] = await tx
    .select({ id })
    .from(tables.projects)
    .where(and(eq(formerSlug, slug), isPresent(tables), isOther))
    .limit(1);
  return found !== undefined;
}
