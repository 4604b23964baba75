import { and, asc, eq, gt, sql } from 'drizzle-orm';
import { readActivityOf, readFindingsOf } from '../../../db/accounts/records.ts';
import type { DatabaseClient } from '../../../db/client.ts';
import { type Projects, within } from '../../../db/projects/reach.ts';
import { parseScopes, savedViewFields } from '../../../db/resources.ts';
import type { OrgTables } from '../../../db/schema/org.ts';

const PAGE = 500;

/** Rows of one kind, one after another. */
export type Records = AsyncIterable<object> | Iterable<object>;

/**
 * The records of an organization about a person, by kind. Each kind is read when it is called.
 * @param projects limits the texts of others; the person's own ones are all read
 */
export function recordsOf(
  { db, sql: client }: Pick<DatabaseClient, 'db' | 'sql'>,
  tables: OrgTables,
  userId: string,
  projects: Projects,
): Record<string, () => Records | Promise<Records>> {
  const { apiTokens: t, changes: c, findings: f, projectMembers: m, rules: r, savedViews: v } = tables;

  return {
    api_tokens: () =>
      inPages(async (after) => {
        const rows = await db
          .select({
            ...{ id: t.id, name: t.name, prefix: t.prefix, project_id: t.projectId, scopes: t.scopes },
            ...{
              revoked: t.revoked,
              created_at: t.createdAt,
              expires_at: t.expiresAt,
              last_used: t.lastUsed,
            },
          })
          .from(t)
          .where(and(eq(t.createdBy, userId), after ? gt(t.id, after) : undefined))
          .orderBy(asc(t.id))
          .limit(PAGE);
        return rows.map(({ scopes, ...row }) => ({ ...row, scopes: parseScopes(scopes) }));
      }),
    saved_views: () => db.select(savedViewFields(tables)).from(v).where(eq(v.ownerId, userId)).orderBy(v.id),
    project_roles: () =>
      db
        .select({ project_id: m.projectId, role: m.role, created_at: m.createdAt })
        .from(m)
        .where(eq(m.userId, userId))
        .orderBy(m.projectId),
    rules: () =>
      db
        // Their names may tell of other projects.
        .select({ id: r.id, ...(projects === undefined && { name: r.name }) })
        .from(r)
        .where(sql`${r.actions} ->> 'assignee_id' = ${userId}`)
        .orderBy(asc(r.id)),
    assigned_findings: () =>
      inPages((after) =>
        db
          .select({ id: f.id, title: f.title })
          .from(f)
          .where(
            and(eq(f.assigneeId, userId), within(f.projectId, projects), after ? gt(f.id, after) : undefined),
          )
          .orderBy(asc(f.id))
          .limit(PAGE),
      ),
    imported_findings: () => readFindingsOf(client, tables, userId, projects),
    changes: () =>
      inPages((after) =>
        db
          .select({ id: c.id, at: c.at, what: c.what, undone_at: c.undoneAt })
          .from(c)
          .where(and(eq(c.actorId, userId), after ? gt(c.id, after) : undefined))
          .orderBy(asc(c.id))
          .limit(PAGE),
      ),
    activity: () => readActivityOf(client, tables, userId, projects),
  };
}

/** Rows of any number. @param read the next `PAGE` rows behind an id */
async function* inPages<R extends { id: string }>(
  read: (after: string | undefined) => Promise<R[]>,
): AsyncGenerator<R> {
  for (let after: string | undefined; ; ) {
    const page = await read(after);
    yield* page;
    after = page.at(-1)?.id;
    if (page.length < PAGE) return;
  }
}
