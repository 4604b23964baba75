import { and, asc, eq, sql } from 'drizzle-orm';
import { rankIn } from '../../db/columns.ts';
import { memberships, ROLES, userEmails, users } from '../../db/shared.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { endpoint, ok } from '../../lib/http/endpoint.ts';
import { z } from '../../lib/http/schema.ts';
import { Member } from '../../lib/resources.ts';

export const listMembers = endpoint(
  {
    method: 'get',
    path: '/members',
    access: cookieOrg(),
    tag: 'Members',
    summary: 'List the members of the organization',
    responses: { 200: { description: 'By role, then by name.', result: z.array(Member) } },
  },
  async ({ db, org }) =>
    ok(
      await db
        .select({
          user_id: users.id,
          email: userEmails.email,
          name: users.name,
          avatar_url: users.avatarUrl,
          role: memberships.role,
        })
        .from(memberships)
        .innerJoin(users, eq(users.id, memberships.userId))
        .innerJoin(userEmails, and(eq(userEmails.userId, users.id), eq(userEmails.isPrimary, true)))
        .where(eq(memberships.orgId, org.id))
        .orderBy(rankIn(ROLES, memberships.role), sql`lower(${users.name})`, asc(users.id)),
    ),
);
