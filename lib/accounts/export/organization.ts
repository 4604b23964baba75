import { and, asc, eq, gt, sql } from 'drizzle-orm';
import { readActivityOf, readFindingsOf } from '../../../db/accounts/records.ts';
import type { DatabaseClient } from '../../../db/client.ts';
import { parseScopes, savedViewFields } from '../../../db/resources.ts';
import type { OrgTables } from '../../../db/schema/org.ts';

const PAGE = 500;

/** Rows of one kind, one after another. */
export type Records = AsyncIterable<object> | Iterable<object>;

/** What an organization stores about a person, by kind. Nothing is read before its turn. */
export function recordsOf(
  { db, sql: client }: Pick<DatabaseClient, 'db' | 'sql'>,
  tables: OrgTables,
  userId: string,
): Record<string, () => Records | Promise<Records>> {
  const { apiTokens: t, changes: c, findings: f, rules: r, savedViews: v } = tables;

  async function* assigned() {
    for (let last: string | undefined; ; ) {
      const page: { id: string; title: string }[] = await db
        .select({ id: f.id, title: f.title })
        .from(f)
        .where(and(eq(f.assigneeId, userId), last ? gt(f.id, last) : undefined))
        .orderBy(asc(f.id))
        .limit(PAGE);
      yield* page;
      last = page.at(-1)?.id;
      if (page.length < PAGE) return;
    }
  }

  return {
    api_tokens: async () => {
      const rows = await db
        .select({
          ...{ id: t.id, name: t.name, prefix: t.prefix, project_id: t.projectId, scopes: t.scopes },
          ...{ revoked: t.revoked, created_at: t.createdAt, expires_at: t.expiresAt, last_used: t.lastUsed },
        })
        .from(t)
        .where(eq(t.createdBy, userId))
        .orderBy(asc(t.id));
      return rows.map(({ scopes, ...row }) => ({ ...row, scopes: parseScopes(scopes) }));
    },
    saved_views: () => db.select(savedViewFields(tables)).from(v).where(eq(v.ownerId, userId)).orderBy(v.id),
    rules: () =>
      db
        .select({ id: r.id, name: r.name })
        .from(r)
        .where(sql`${r.actions} ->> 'assignee_id' = ${userId}`)
        .orderBy(asc(r.id)),
    assigned_findings: assigned,
    imported_findings: () => readFindingsOf(client, tables, userId),
    changes: () =>
      db
        .select({ id: c.id, at: c.at, what: c.what, undone_at: c.undoneAt })
        .from(c)
        .where(eq(c.actorId, userId))
        .orderBy(asc(c.id)),
    activity: () => readActivityOf(client, tables, userId),
  };
}
