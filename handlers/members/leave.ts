import { and, eq } from 'drizzle-orm';
import { reloadRulesOf } from '../../db/rules/members.ts';
import { memberships } from '../../db/schema/orgs.ts';
import { run } from '../../db/statements.ts';
import { sessionOrg } from '../../lib/http/access.ts';
import { done } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { logSecurityEvent } from '../../lib/http/security-log.ts';
import { readRoles, requireOtherOwner } from '../../lib/members/owners.ts';
import { lockOrgTables } from '../../lib/quotas.ts';
import { deletePrivateViews } from '../../lib/views/views.ts';

export const leaveOrg = endpoint(
  {
    method: 'post',
    path: '/members/leave',
    access: sessionOrg(),
    tag: 'Members',
    summary: 'Leave the organization',
    description:
      'The next request to the organization is refused. API tokens of the member keep working. The last owner cannot leave: an organization needs an owner who can sign in.',
    insertsInOrg: false,
    responses: {
      200: { description: 'The caller is no longer a member.', message: 'You left the organization.' },
    },
    errors: ['resource_error/conflict'],
  },
  async (call) => {
    const { db, org, services, user } = call;
    const role = await db.transaction(async (tx) => {
      const tables = await lockOrgTables(tx, org);
      const { own } = await readRoles(tx, org.id, { caller: user.id, member: user.id });
      if (own === 'owner') await requireOtherOwner(tx, services.config, org.id, user.id);
      await tx.delete(memberships).where(and(eq(memberships.orgId, org.id), eq(memberships.userId, user.id)));
      await deletePrivateViews(tx, tables, user.id);
      await run(tx, reloadRulesOf(tables, user.id));
      return own;
    });
    logSecurityEvent(call, 'member_left', { member: user.id, role });
    return done();
  },
);
