import { asc, eq, sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { MAPPED_ROLES } from '../../../db/schema/orgs.ts';
import { scimGroupMembers as m, scimGroups as t } from '../../../db/schema/scim.ts';
import { sessionOrg } from '../../../lib/http/access.ts';
import { ok } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { count, id, shown, z } from '../../../lib/schema.ts';
import { MAX_GROUPS } from '../../../lib/scim/groups.ts';
import { roleRulesOf } from '../../../lib/scim/roles.ts';
import { findScimToken, ScimToken, scimUrl, toScimToken } from '../../../lib/scim/tokens.ts';

const ReceivedGroup = z
  .object({
    id: id(),
    display_name: shown('security'),
    members: count(12),
    role: z.enum(MAPPED_ROLES).optional().openapi({
      description:
        'The highest role that a `role_mapping` gives to the exact name, in any connection. Absent: the group gives no role.',
      example: 'member',
    }),
  })
  .openapi('ScimReceivedGroup');

export const getScim = endpoint(
  {
    method: 'get',
    path: '/settings/scim',
    access: sessionOrg('owner', 'none'),
    tag: 'Provisioning',
    summary: 'Get the state of provisioning',
    description:
      'The URL for the identity provider, the token without its secret part, if there is one, and the groups received by SCIM.',
    responses: {
      200: {
        description: 'The state.',
        result: z
          .object({
            base_url: shown('https://findings.example.com/scim/v2', 'To enter at the identity provider.'),
            token: ScimToken.optional(),
            groups: z.array(ReceivedGroup).openapi({ description: `At most ${MAX_GROUPS}, by name.` }),
          })
          .openapi('ScimSettings'),
      },
    },
  },
  async ({ db, org, services }) => {
    const [row, groups] = await Promise.all([findScimToken(db, org.id), listReceivedGroups(db, org.id)]);
    return ok({ base_url: scimUrl(services.config), ...(row && { token: toScimToken(row) }), groups });
  },
);

/** The groups of an organization with the roles that they give. */
async function listReceivedGroups(db: Db, orgId: string) {
  const [groups, rules] = await Promise.all([
    db
      .select({ id: t.id, display_name: t.displayName, members: sql<number>`count(${m.userId})::int` })
      .from(t)
      .leftJoin(m, eq(m.groupId, t.id))
      .where(eq(t.orgId, orgId))
      .groupBy(t.id)
      .orderBy(sql`lower(${t.displayName})`, asc(t.id))
      .limit(MAX_GROUPS),
    roleRulesOf(db, orgId),
  ]);
  return groups.map((group) => {
    const role = rules.mapped([group.display_name]);
    return { ...group, ...(role && { role }) };
  });
}
