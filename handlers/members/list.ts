import { eq, or } from 'drizzle-orm';
import { memberships } from '../../db/schema/orgs.ts';
import { ApiError } from '../../lib/errors.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { listMemberSecurity, listMembers as membersOf, reachOneOf } from '../../lib/members/fields.ts';
import { requireProjects } from '../../lib/projects/projects.ts';
import { Member } from '../../lib/resources.ts';
import { uuid, z } from '../../lib/schema.ts';
import { rankOf } from '../../lib/tokens/scopes.ts';

export const listMembers = endpoint(
  {
    method: 'get',
    path: '/members',
    access: cookieOrg('viewer', 'any member'),
    tag: 'Members',
    summary: 'List the members of the organization',
    description:
      'An invited member is shown by the invited address, never by another address of the account. The name is the account’s once the member has used the organization; before that it may be the part of the address before the `@`. A member whose access is limited to projects gets those who reach one of them. Admins and owners also get `mfa_enabled`, `last_active_at`, `api_tokens` and `personal_tokens` of members who have used the organization.',
    request: {
      query: z.object({
        project_id: uuid().optional().openapi({ description: 'Members who reach this project.' }),
      }),
    },
    responses: { 200: { description: 'The members, by role and name.', result: z.array(Member) } },
    errors: ['resource_error/not_found'],
  },
  async (call) => {
    const { accountId, db, now, org, query, reach, role, services } = call;
    const projects = await requireProjects(call, query.project_id);
    const reaching = projects && (await reachOneOf(db, org.tables, projects));
    // A caller without projects sees themselves.
    const where =
      reach && query.project_id === undefined ? or(reaching, eq(memberships.userId, accountId)) : reaching;
    const [members, security] = await Promise.all([
      membersOf(db, { config: services.config, now }, org.id, where),
      rankOf(role) < rankOf('admin') ? undefined : listMemberSecurity(db, org, now),
    ]);
    // Every organization has an owner: this one has left the database since the access checks.
    if (members.length === 0) throw new ApiError('tenant_error/not_member');
    return ok(members.map((member) => ({ ...member, ...security?.get(member.user_id) })));
  },
);
